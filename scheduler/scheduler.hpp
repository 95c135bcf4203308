#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/discipline/program.hpp"
#include "scheduler/placement/options.hpp"

namespace layerpipe::scheduler {

/// Each member of SchedulerOptions.
enum class SchedulerOption {
  objective,
  alpha,
  max_lent_weight_bytes,
  max_lent_bytes,
  split,
  delays,
  priority,
  micro_batches,
  chunks,
  placement,
};

inline constexpr std::array all_scheduler_options{SchedulerOption::objective,
                                                  SchedulerOption::alpha,
                                                  SchedulerOption::max_lent_weight_bytes,
                                                  SchedulerOption::max_lent_bytes,
                                                  SchedulerOption::split,
                                                  SchedulerOption::delays,
                                                  SchedulerOption::priority,
                                                  SchedulerOption::micro_batches,
                                                  SchedulerOption::chunks,
                                                  SchedulerOption::placement};

/// As users write it, without hyphens in front: "max-lent-bytes".
[[nodiscard]] std::string_view to_string(SchedulerOption option);

struct Plan {
  contract::Schedule schedule;
  std::optional<double> target_cycles;  ///< LayerPipe's T_p
  /// That the schedule is made of, if it is made of one.
  std::optional<discipline::StageProgram> program = {};
};

/// For schedulers with delays of their own. Throws UsageError, with the name `scheduler`, if the
/// options have any.
void refuse_delays(std::string_view scheduler, const placement::SchedulerOptions& options);

/// The greatest divisor of the batch that is at most four times the number of processors, as GPipe
/// (Huang et al., NeurIPS 2019) advises.
[[nodiscard]] std::int64_t default_micro_batches(std::int64_t batch, std::size_t processors);

/// One way to schedule. A schedule that reads `micro_batches` is given the profile of one of these.
/// Contract: the plan's schedule passes `check`, stages lie on the machine's
/// first processors in order, and the result depends on the arguments alone.
struct Scheduler {
  std::string_view name;
  std::string_view summary;  ///< half a line for `--help`
  /// Options that the plan depends on. A schedule that does not read delays has its own, S(l), and
  /// its plan refuses others.
  std::vector<SchedulerOption> options;
  std::function<Plan(const costs::Profile&, const machine::Machine&,
                     const placement::SchedulerOptions&)>
      plan;

  [[nodiscard]] bool reads(SchedulerOption option) const;

  /// In a minibatch.
  [[nodiscard]] std::int64_t micro_batches(const placement::SchedulerOptions& in_force) const {
    return reads(SchedulerOption::micro_batches) ? in_force.micro_batches.value_or(1) : 1;
  }
};

/// All schedulers, in the order in which they are listed to users.
[[nodiscard]] std::span<const Scheduler> schedulers();

/// Names of those that read `option`.
[[nodiscard]] std::vector<std::string_view> readers(SchedulerOption option);

/// Why it is a mistake to give `option`: "no chosen schedule reads it (expected layerpipe)"; empty
/// if one of `chosen` does.
[[nodiscard]] std::string misuse(SchedulerOption option, std::span<const Scheduler* const> chosen);

/// Throws UsageError that lists the known names.
[[nodiscard]] const Scheduler& find_scheduler(std::string_view name);

}  // namespace layerpipe::scheduler
