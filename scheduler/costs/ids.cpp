#include "scheduler/costs/ids.hpp"

#include <fmt/format.h>

#include "workloads/base/error.hpp"

namespace layerpipe::costs {

std::string_view to_string(OpKind kind) {
  switch (kind) {
    case OpKind::forward:
      return "forward";
    case OpKind::input_gradient:
      return "input_gradient";
    case OpKind::weight_gradient:
      return "weight_gradient";
  }
  throw InternalError(fmt::format("operation of unknown kind {}", static_cast<int>(kind)));
}

}  // namespace layerpipe::costs
