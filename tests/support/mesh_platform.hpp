#pragma once

#include <string>

namespace layerpipe::tests {

/// A platform of `processors` processors p0, p1, ... (32 x 32 at 1 GHz) in which every ordered pair
/// has a link of its own of 8 bytes a cycle, with (3 from + to) mod 7 cycles of latency. With
/// `through_hub` every route crosses one more link, which all share and nobody can fill: transfers
/// take as long as without, but as network flows. Returns the path of the file, in the directory
/// for temporary files.
std::string write_mesh_platform(int processors, bool through_hub);

}  // namespace layerpipe::tests
