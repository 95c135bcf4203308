#include "scheduler/placement/priority.hpp"

#include <fmt/format.h>

#include "workloads/base/error.hpp"

namespace layerpipe::placement {

std::string_view to_string(Priority priority) {
  switch (priority) {
    case Priority::fixed:
      return "fixed";
    case Priority::critical_loop:
      return "critical-loop";
  }
  throw InternalError(fmt::format("priority of unknown kind {}", static_cast<int>(priority)));
}

}  // namespace layerpipe::placement
