#pragma once

#include <cstdint>
#include <string_view>

#include "scheduler/contract/schedule.hpp"
#include "sim/trace/labels.hpp"

namespace layerpipe::trace {

/// One colour for all formats; red, green and blue from 0 to 255.
struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  /// The nearest of the few that chrome://tracing knows by name; Perfetto has its own.
  std::string_view chrome_name;
};

/// Okabe and Ito's palette, which the colour-blind can tell apart.
[[nodiscard]] Color color(TraceKind kind);

/// Throws InternalError for a local tensor, which is not sent.
[[nodiscard]] Color color(contract::TensorClass tensor_class);

/// Light grey, whatever the cause.
[[nodiscard]] Color stall_color();

}  // namespace layerpipe::trace
