#pragma once

#include <functional>
#include <string>

#include "sim/sweep/points.hpp"

namespace layerpipe::sweep {

/// Simulates the points of a chunk on the platform that they share, which this process loads: it
/// must not have loaded one before. Each point is planned and run in a process of its own. Hands
/// the rows to `take`, in order; a point that is infeasible, or comes to a stop, has one that says
/// so, and so has one whose process dies. Throws InputError if SimGrid refuses the platform.
void run_points(const Chunk& chunk, const std::function<void(const std::string& row)>& take);

}  // namespace layerpipe::sweep
