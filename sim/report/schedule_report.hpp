#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/lent_parts.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/metrics/result.hpp"
#include "sim/report/report.hpp"

namespace layerpipe::report {

/// What a schedule executes where, one row per operation of a layer: a split one has a row on each
/// of its two processors, a whole backward pass of a stage one for each of its parts. Besides, what
/// it costs to lend the input gradients that are lent, and what is sent in all.
class ScheduleReport final : public Report {
 public:
  /// `plan` is of `workload`, with `profile`, on `machine`; `options` are copied into the JSON
  /// form.
  ScheduleReport(const machine::Machine& machine, std::string workload,
                 const costs::Profile& profile, const scheduler::Plan& plan,
                 nlohmann::ordered_json options);

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  struct Processor {
    std::string name;
    std::vector<contract::OpPart> operations;  ///< by layer, then forward, delta, G
    std::int64_t total_cycles = 0;
  };

  /// A layer of which it is of no use to lend a part, and why.
  struct Obstacle {
    std::string layer;
    std::string reason;
  };

  [[nodiscard]] std::string processor_table() const;
  [[nodiscard]] std::string lent_table() const;
  [[nodiscard]] std::string summary() const;

  std::string platform_;
  std::string workload_;
  std::string schedule_;
  nlohmann::ordered_json options_;
  std::optional<double> target_cycles_;
  std::int64_t slowest_processor_cycles_;
  std::vector<std::string> layer_names_;
  std::vector<Processor> processors_;
  costs::Split split_;
  std::vector<contract::LentPart> lent_parts_;
  metrics::Communication communication_;  ///< per minibatch
  std::vector<Obstacle> obstacles_;
};

}  // namespace layerpipe::report
