#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platforms/array/systolic_array.hpp"

/// Names that may be read for a dataflow. Short ones are never written but in messages.
namespace layerpipe::array {

/// "ws", "is" or "os".
[[nodiscard]] std::string_view short_name(Dataflow dataflow);

[[nodiscard]] std::optional<Dataflow> dataflow_of_short_name(std::string_view text);

/// "weight-stationary (ws), ... or output-stationary (os)".
[[nodiscard]] std::string dataflow_names();

/// What a message about the unknown dataflow `text` ends with: the nearest name, long or short, or
/// all of them.
[[nodiscard]] std::string dataflow_suggestion(std::string_view text);

}  // namespace layerpipe::array
