#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/theory/recurrence.hpp"

namespace layerpipe::tests {

/// Transfers as fluids that share links max-min fairly, weighted by the inverse of their routes'
/// latencies: a second method beside SimGrid's, by progressive filling. The water rises for all
/// flows alike until a link is full; the flows over it stay as they are, and it rises for the
/// others. Each flow has all of a link that is not shared, and no more. Nothing is kept from one
/// change to the next but what is left of each flow.
class FluidNetwork final : public theory::SharedNetwork {
 public:
  FluidNetwork(const machine::Machine& machine, const contract::Schedule& schedule);

  void start(contract::TensorId tensor, std::int64_t date) override;
  [[nodiscard]] std::optional<std::int64_t> next_arrival() const override;
  [[nodiscard]] std::vector<contract::TensorId> take_arrivals(std::int64_t date) override;

 private:
  struct Flow {
    contract::TensorId tensor = 0;
    machine::Route route;
    double begins = 0.0;  ///< in cycles: its latency is over
    double bytes_left = 0.0;
    std::int64_t earliest = 0;  ///< date of arrival if it were alone
    double rate = 0.0;          ///< bytes per cycle
    std::optional<double> ended = {};
  };

  /// Dates within this of a whole one are that one.
  static constexpr double date_tolerance = 1e-4;

  [[nodiscard]] static std::int64_t arrival(const Flow& flow);
  void advance(double date);
  [[nodiscard]] std::optional<double> next_change() const;
  void share();
  [[nodiscard]] double capacity(std::size_t link) const;
  [[nodiscard]] double weight(const Flow& flow) const;

  const machine::Machine& machine_;
  const contract::Schedule& schedule_;
  std::vector<Flow> flows_;
  double now_ = 0.0;
};

}  // namespace layerpipe::tests
