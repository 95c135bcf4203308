#pragma once

#include <string>
#include <vector>

#include "sim/process/provenance.hpp"
#include "sim/sweep/points.hpp"

namespace layerpipe::sweep {

struct MergedResults {
  std::string text;
  std::vector<process::InputFile> files;  ///< those of the shares
};

/// The results of all `points`, which are those of a whole sweep, from the results of its shares in
/// `files`: byte for byte what the sweep in one writes. A row may be there several times if it is
/// the same. Throws InputError, with file and line, for what is no result of these points, and if
/// rows are missing.
[[nodiscard]] MergedResults merge(const std::vector<Point>& points,
                                  const std::vector<std::string>& files);

}  // namespace layerpipe::sweep
