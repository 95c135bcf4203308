#pragma once

#include <optional>
#include <string_view>

#include "platforms/array/systolic_array.hpp"

/// Names that may be read for a dataflow, and are never written.
namespace layerpipe::array {

/// "ws", "is" or "os".
[[nodiscard]] std::string_view short_name(Dataflow dataflow);

[[nodiscard]] std::optional<Dataflow> dataflow_of_short_name(std::string_view text);

}  // namespace layerpipe::array
