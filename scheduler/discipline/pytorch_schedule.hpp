#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/costs/ids.hpp"
#include "scheduler/discipline/program.hpp"

/// Schedules as torch.distributed.pipelining writes and reads them, CSV with a row for each rank
/// (docs/formats/pytorch_schedule.md).
namespace layerpipe::discipline {

struct PytorchSchedule {
  Program program;                                ///< [rank]
  std::vector<costs::ProcessorId> rank_of_stage;  ///< [stage]
  std::size_t micro_batches = 0;
};

inline constexpr std::size_t max_pytorch_bytes = std::size_t{64} << 20U;

/// Throws InputError, with its place, unless each stage lies on one rank and has one forward pass
/// and one backward pass, whole or in two pieces, of every micro-batch, in this order, and the
/// messages are as `check_messages` asks. UNSHARD, RESHARD and REDUCE_GRAD are passed over.
[[nodiscard]] PytorchSchedule parse_pytorch_schedule(std::string_view text,
                                                     const std::string& file);

/// The same, without messages and empty cells. Precondition: the actions have no lags.
[[nodiscard]] std::string pytorch_csv(const Program& program);

}  // namespace layerpipe::discipline
