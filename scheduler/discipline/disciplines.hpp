#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// An order of operations in micro-batches.
struct Discipline {
  std::string_view name;
  std::string_view summary;  ///< half a line for `--help`
  /// Throws InfeasibleError for a shape that it has no program for.
  Program (*program)(const PipelineShape& shape);
  bool splits_backward = false;  ///< B and W are apart, whatever is borrowed
  bool has_chunks = false;       ///< several stages on each processor
  std::int64_t staleness = 0;    ///< updates that all weights lack; 0: it is flushed
};

/// All of them, in the order in which they are listed to users.
[[nodiscard]] std::span<const Discipline> disciplines();

}  // namespace layerpipe::discipline
