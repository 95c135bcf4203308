#pragma once

#include <string_view>

#include "scheduler/contract/schedule.hpp"
#include "sim/metrics/stalls.hpp"
#include "sim/trace/labels.hpp"
#include "sim/trace/palette.hpp"

namespace layerpipe::trace {

/// How a picture paints what it shows, in the order of its legend.
enum class Paint {
  forward,
  delta,
  delta_kept,
  delta_lent,
  weight_gradient,
  backward,
  fill,
  activation,
  gradient,
  weights,
  weight_version,
  channel,
  sharing,
  drain,
  mandatory,
  additional_weights,
  additional_gradients,
};

inline constexpr int paints = static_cast<int>(Paint::additional_gradients) + 1;

[[nodiscard]] Paint paint(TraceKind kind);
[[nodiscard]] Paint paint(metrics::StallCause cause);

/// Throws InternalError for a local tensor, which is not sent.
[[nodiscard]] Paint paint(contract::TensorClass tensor_class);

[[nodiscard]] bool is_stall(Paint paint);

[[nodiscard]] Color color(Paint paint);

/// What is drawn over the colour, as a path in a square of 6 units that repeats; empty for plain
/// paints. Lent parts and causes of stalls can so be told apart without colours.
[[nodiscard]] std::string_view hatch(Paint paint);

/// What the legend says.
[[nodiscard]] std::string_view legend(Paint paint);

}  // namespace layerpipe::trace
