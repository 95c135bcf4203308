#pragma once

#include <optional>
#include <string_view>

namespace layerpipe::file {

enum class Dimension { speed, bandwidth, time };

/// What a SimGrid platform (3.32) means by one `unit`: flop/s, bytes per second or seconds; none if
/// SimGrid does not know it. Case counts.
[[nodiscard]] std::optional<double> simgrid_unit(Dimension dimension, std::string_view unit);

}  // namespace layerpipe::file
