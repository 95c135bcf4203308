#include "platforms/array/dataflow_names.hpp"

#include <algorithm>

#include "workloads/base/error.hpp"

namespace layerpipe::array {

std::string_view short_name(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::weight_stationary:
      return "ws";
    case Dataflow::input_stationary:
      return "is";
    case Dataflow::output_stationary:
      return "os";
  }
  throw InternalError("unknown dataflow");
}

std::optional<Dataflow> dataflow_of_short_name(std::string_view text) {
  const auto found = std::ranges::find(all_dataflows, text, short_name);
  return found == all_dataflows.end() ? std::nullopt : std::optional(*found);
}

}  // namespace layerpipe::array
