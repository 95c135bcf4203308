#pragma once

#include <string>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/discipline/program.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::discipline {

/// A placement under a discipline.
struct Pipeline {
  std::string name;
  std::vector<Stage> stages;   ///< that hold all layers, in order
  std::size_t processors = 0;  ///< of the machine
  std::size_t micro_batches = 1;
  std::vector<std::int64_t> staleness;  ///< [stage]: updates that its weights lack
  Program program;
};

/// The schedule of stages whose backward pass is one operation: the program has F and BW, one of
/// each for every stage and micro-batch.
[[nodiscard]] contract::Schedule lower_whole(const costs::Profile& profile,
                                             const Pipeline& pipeline);

/// The schedule with input and weight gradients apart. BW is one operation that sends at its end
/// or, if anything is lent, stands for B, then W. What a processor has borrowed it executes right
/// after B of the first stage behind the lending layer that it holds; one without stages in order
/// of micro-batches, as soon as it can. Precondition: `allocation` places the layers as the stages
/// do; its delays are not read.
[[nodiscard]] contract::Schedule lower_split(const costs::Profile& profile,
                                             const Pipeline& pipeline,
                                             placement::Allocation allocation);

}  // namespace layerpipe::discipline
