#include "sim/trace/palette.hpp"

#include "workloads/base/error.hpp"

namespace layerpipe::trace {
namespace {

constexpr Color blue{0, 114, 178, "rail_response"};
constexpr Color orange{230, 159, 0, "rail_idle"};
constexpr Color vermilion{213, 94, 0, "rail_animation"};
constexpr Color reddish_purple{204, 121, 167, "thread_state_uninterruptible"};
constexpr Color bluish_green{0, 158, 115, "rail_load"};
constexpr Color yellow{240, 228, 66, "startup"};
constexpr Color sky_blue{86, 180, 233, "thread_state_runnable"};
constexpr Color grey{153, 153, 153, "generic_work"};
constexpr Color light_grey{221, 221, 221, "grey"};

}  // namespace

Color color(TraceKind kind) {
  switch (kind) {
    case TraceKind::forward:
      return blue;
    case TraceKind::delta:
      return orange;
    case TraceKind::delta_kept:
      return vermilion;
    case TraceKind::delta_lent:
      return reddish_purple;
    case TraceKind::weight_gradient:
      return bluish_green;
    case TraceKind::backward:
      return yellow;
  }
  throw InternalError("unknown kind of trace state");
}

Color color(contract::TensorClass tensor_class) {
  switch (tensor_class) {
    case contract::TensorClass::local:
      break;
    case contract::TensorClass::mandatory:
      return grey;
    case contract::TensorClass::additional_weights:
      return sky_blue;
    case contract::TensorClass::additional_gradients:
      return vermilion;
  }
  throw InternalError("unknown class of tensor");
}

Color stall_color() { return light_grey; }

}  // namespace layerpipe::trace
