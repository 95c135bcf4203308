#include "sim/options/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "platforms/array/dataflow_names.hpp"

namespace layerpipe::options {

using array::Dataflow;
using costs::Split;
using machine::Topology;
using network::InputGradientMapping;
using scheduler::Scheduler;

array::ArraySize parse_array(std::string_view text) {
  constexpr base::Range extent{1, std::numeric_limits<std::int32_t>::max()};
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) {
    throw InputError(fmt::format("{} is not an array size (expected ROWSxCOLUMNS such as 32x32)",
                                 base::in_quotes(text)));
  }
  return {base::parse_whole_number(text.substr(0, x), extent),
          base::parse_whole_number(text.substr(x + 1), extent)};
}

Dataflow parse_dataflow(std::string_view text) {
  if (const auto dataflow = array::dataflow_of_short_name(text)) return *dataflow;
  const auto named = std::ranges::find(array::all_dataflows, text,
                                       [](Dataflow value) { return to_string(value); });
  if (named != array::all_dataflows.end()) return *named;
  throw InputError(
      fmt::format("unknown name {} {}", base::in_quotes(text), array::dataflow_suggestion(text)));
}

InputGradientMapping parse_input_gradient(std::string_view text) {
  return parse_name(text, array::all_input_gradient_mappings,
                    [](InputGradientMapping mapping) { return array::to_string(mapping); });
}

Topology parse_topology(std::string_view text) {
  constexpr std::array all{Topology::crossbar, Topology::chain};
  return parse_name(text, all, [](Topology topology) { return to_string(topology); });
}

Split parse_split(std::string_view text) {
  constexpr std::array all{Split::ideal, Split::channels, Split::batch};
  return parse_name(text, all, [](Split split) { return to_string(split); });
}

const Scheduler* parse_scheduler(std::string_view text) {
  std::vector<const Scheduler*> all;
  for (const Scheduler& scheduler : scheduler::schedulers()) all.push_back(&scheduler);
  return parse_name(text, all, [](const Scheduler* scheduler) { return scheduler->name; });
}

double parse_tolerance(std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end || !(value > 0.0 && value < 1.0)) {
    throw InputError(
        fmt::format("{} is no such fraction (expected a number above 0 and below 1, such as 0.001)",
                    base::in_quotes(text)));
  }
  return value;
}

bool parse_until_steady(std::string_view text) {
  using Named = std::pair<std::string_view, bool>;
  constexpr std::array all{Named{"iterations", false}, Named{"steady", true}};
  return parse_name(text, all, [](const Named& named) { return named.first; }).second;
}

}  // namespace layerpipe::options
