#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/lent_parts.hpp"
#include "scheduler/costs/profile.hpp"
#include "sim/report/report.hpp"
#include "workloads/network/network.hpp"

namespace layerpipe::report {

/// What every layer of a network costs on a machine, the weightless ones included: one row per
/// layer; and what it would cost to lend half of an input gradient.
class ProfileReport final : public Report {
 public:
  /// `profile` is of `network` on `machine`, and can be divided by `split`; `options` are copied
  /// into the JSON form.
  ProfileReport(const machine::Machine& machine, const network::Network& network,
                const costs::Profile& profile, costs::Split split, nlohmann::ordered_json options);

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  struct Row {
    std::string name;
    std::string type;
    std::int64_t forward_cycles = 0;
    std::int64_t input_gradient_cycles = 0;
    std::int64_t weight_gradient_cycles = 0;
    std::int64_t activation_bytes = 0;
    std::int64_t gradient_bytes = 0;
    std::int64_t weight_bytes = 0;
    /// Of a stage boundary before the layer; none where there can be no boundary.
    std::optional<std::int64_t> boundary_forward_bytes;
    std::optional<std::int64_t> boundary_backward_bytes;
    /// None if the input gradient cannot be lent.
    std::optional<std::int64_t> lent_weight_bytes;
    std::optional<contract::Division> half_lent;
    std::optional<std::string> split_obstacle;  ///< why dividing it is of no use, if it is not
  };

  void add_costs(Row& row, const costs::Profile& profile, std::size_t layer,
                 const costs::Boundary& boundary) const;
  [[nodiscard]] std::string layer_table() const;
  [[nodiscard]] std::string total() const;

  std::string platform_;
  std::string workload_;
  std::int64_t batch_;
  costs::Split split_;
  nlohmann::ordered_json options_;
  std::vector<Row> rows_;
};

}  // namespace layerpipe::report
