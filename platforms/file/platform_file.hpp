#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "platforms/array/array_overrides.hpp"
#include "platforms/array/systolic_array.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::file {

/// What a platform file says about its processors, and where.
struct PlatformFile {
  array::SystolicArray array;                   ///< of every processor
  std::map<std::string, SourcePosition> hosts;  ///< by name; those of a cluster share its position
  std::size_t bytes = 0;                        ///< of the file
};

/// The text of a platform file. Throws InputError if `path` is no file, cannot be read, or is
/// longer than 32 MiB: enough for max_processors in a chain.
[[nodiscard]] std::string read_platform_text(const std::string& path);

/// Checks a SimGrid platform (format: docs/formats/platform.md) as far as that is possible without
/// SimGrid, which aborts, hangs or says nothing at many of the mistakes found here. What passes may
/// still be refused by SimGrid. `overrides` count for all hosts.
/// Throws InputError, with line and column of the element, for a file that is not as documented,
/// and InfeasibleError if hosts differ in their arrays or are more than max_processors.
[[nodiscard]] PlatformFile read_platform_file(const std::string& path,
                                              const array::ArrayOverrides& overrides = {});

/// The same for text already in memory; `file` names it in errors.
[[nodiscard]] PlatformFile check_platform(std::string_view text, const std::string& file,
                                          const array::ArrayOverrides& overrides = {});

}  // namespace layerpipe::file
