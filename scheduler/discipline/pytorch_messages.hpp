#pragma once

#include <vector>

#include "scheduler/costs/ids.hpp"
#include "scheduler/discipline/pytorch_cells.hpp"

namespace layerpipe::discipline {

/// Checks the SEND and RECV cells, if there are any: each tensor between two ranks is sent once,
/// right behind the action that makes it, and received once, before the action that uses it; and
/// two ranks list what passes between them in the same order. So they say no more than the other
/// cells do. Throws InputError, with its place, otherwise. Precondition: the other cells are whole.
void check_messages(const PytorchCells& cells,
                    const std::vector<costs::ProcessorId>& rank_of_stage);

}  // namespace layerpipe::discipline
