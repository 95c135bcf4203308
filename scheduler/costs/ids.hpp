#pragma once

#include <cstddef>
#include <string_view>

namespace layerpipe::costs {

/// The place of a processor in `Machine::processors`.
using ProcessorId = std::size_t;

/// The three operations that train a layer.
enum class OpKind { forward, input_gradient, weight_gradient };

/// "forward", "input_gradient" or "weight_gradient".
[[nodiscard]] std::string_view to_string(OpKind kind);

}  // namespace layerpipe::costs
