#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace layerpipe::file {

/// A platform with a zone around its torus, fat tree or dragonfly: SimGrid 4.0 crashes on one that
/// is in no zone, and it means the same in one. Lines stay as they are. None if there is nothing to
/// do. Precondition: check_platform accepts `text`, which has no byte order mark.
[[nodiscard]] std::optional<std::string> with_zone_around_cluster(std::string_view text);

}  // namespace layerpipe::file
