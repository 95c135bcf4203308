#include "sim/trace/picture/paint.hpp"

#include <array>

#include "workloads/base/error.hpp"

namespace layerpipe::trace {
namespace {

constexpr std::string_view rising = "M-1 1L1 -1M0 6L6 0M5 7L7 5";
constexpr std::string_view falling = "M-1 5L1 7M0 0L6 6M5 -1L7 1";
constexpr std::string_view crossing = "M0 6L6 0M0 0L6 6";
constexpr std::string_view upright = "M3 0V6";
constexpr std::string_view upright_and_level = "M3 0V6M0 3H6";
constexpr std::string_view level = "M0 3H6";

struct Look {
  Color color;
  std::string_view hatch;
  std::string_view legend;
};

/// In the order of Paint.
const std::array<Look, paints>& looks() {
  static const std::array<Look, paints> all{{
      {color(TraceKind::forward), "", "FP: forward pass"},
      {color(TraceKind::delta), "", "\u03b4: input gradient"},
      {color(TraceKind::delta_kept), "", "\u03b4\u2032: part of \u03b4 that stays"},
      {color(TraceKind::delta_lent), rising, "\u03b4\u2033: part of \u03b4 that is lent"},
      {color(TraceKind::weight_gradient), "", "G: weight gradient"},
      {color(TraceKind::backward), "", "BP: backward pass"},
      {stall_color(), "", "idle: fill"},
      {stall_color(), rising, "idle: waits for activation"},
      {stall_color(), falling, "idle: waits for gradient"},
      {stall_color(), level, "idle: waits for weights"},
      {stall_color(), upright, "idle: waits for own update"},
      {stall_color(), crossing, "idle: what it waits for is queued"},
      {stall_color(), upright_and_level, "idle: what it waits for shares links"},
      {stall_color(), "", "idle: drain"},
      {color(contract::TensorClass::mandatory), "", "sent: mandatory"},
      {color(contract::TensorClass::additional_weights), "", "sent: additional weights"},
      {color(contract::TensorClass::additional_gradients), "", "sent: additional gradients"},
  }};
  return all;
}

const Look& look(Paint paint) { return looks().at(static_cast<std::size_t>(paint)); }

}  // namespace

Paint paint(TraceKind kind) {
  switch (kind) {
    case TraceKind::forward:
      return Paint::forward;
    case TraceKind::delta:
      return Paint::delta;
    case TraceKind::delta_kept:
      return Paint::delta_kept;
    case TraceKind::delta_lent:
      return Paint::delta_lent;
    case TraceKind::weight_gradient:
      return Paint::weight_gradient;
    case TraceKind::backward:
      return Paint::backward;
  }
  throw InternalError("unknown kind of trace state");
}

Paint paint(metrics::StallCause cause) {
  switch (cause) {
    case metrics::StallCause::fill:
      return Paint::fill;
    case metrics::StallCause::activation:
      return Paint::activation;
    case metrics::StallCause::gradient:
      return Paint::gradient;
    case metrics::StallCause::weights:
      return Paint::weights;
    case metrics::StallCause::weight_version:
      return Paint::weight_version;
    case metrics::StallCause::channel:
      return Paint::channel;
    case metrics::StallCause::sharing:
      return Paint::sharing;
    case metrics::StallCause::drain:
      return Paint::drain;
  }
  throw InternalError("unknown cause of a stall");
}

Paint paint(contract::TensorClass tensor_class) {
  switch (tensor_class) {
    case contract::TensorClass::local:
      break;
    case contract::TensorClass::mandatory:
      return Paint::mandatory;
    case contract::TensorClass::additional_weights:
      return Paint::additional_weights;
    case contract::TensorClass::additional_gradients:
      return Paint::additional_gradients;
  }
  throw InternalError("a tensor that stays on its processor has no paint");
}

bool is_stall(Paint paint) { return paint >= Paint::fill && paint <= Paint::drain; }

Color color(Paint paint) { return look(paint).color; }

std::string_view hatch(Paint paint) { return look(paint).hatch; }

std::string_view legend(Paint paint) { return look(paint).legend; }

}  // namespace layerpipe::trace
