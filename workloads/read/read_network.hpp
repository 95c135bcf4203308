#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "workloads/network/network.hpp"

namespace layerpipe::read {

/// Reads a workload file (format: docs/formats/workload.md) and infers all shapes.
/// `batch` replaces the file's batch; it is refused (InfeasibleError) for measured networks, and
/// where it makes a tensor too large to be counted. UsageError if it is not from 1 to 10^9.
/// Throws InputError with file, line and column for everything that is not as documented.
[[nodiscard]] network::Network read_network(const std::string& path,
                                            std::optional<std::int64_t> batch = std::nullopt);

/// The same for text already in memory; `file` names it in errors.
[[nodiscard]] network::Network parse_network(std::string_view text, const std::string& file,
                                             std::optional<std::int64_t> batch = std::nullopt);

}  // namespace layerpipe::read
