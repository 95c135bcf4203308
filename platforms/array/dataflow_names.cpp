#include "platforms/array/dataflow_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"

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

std::string dataflow_names() {
  std::vector<std::string> names;
  for (const Dataflow dataflow : all_dataflows) {
    names.push_back(fmt::format("{} ({})", to_string(dataflow), short_name(dataflow)));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return base::one_of(views);
}

std::string dataflow_suggestion(std::string_view text) {
  std::vector<std::string_view> names;
  for (const Dataflow dataflow : all_dataflows) {
    names.insert(names.end(), {to_string(dataflow), short_name(dataflow)});
  }
  const auto near = base::nearest(text, names);
  if (near) return fmt::format("(nearest: {})", *near);
  return fmt::format("(expected {})", dataflow_names());
}

}  // namespace layerpipe::array
