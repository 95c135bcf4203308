#include "platforms/file/array_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include "platforms/array/dataflow_names.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::file {

namespace {

using base::in_quotes;
using Properties = std::map<std::string_view, pugi::xml_node>;

/// A misspelt one of these would pass unnoticed.
constexpr std::array<std::string_view, 3> optional_names{"dataflow", "weight_gradient_dataflow",
                                                         "input_gradient"};

/// The properties of `element` by their names.
Properties collect(const XmlDocument& document, const pugi::xml_node& element) {
  Properties properties;
  for (const pugi::xml_node& property : element.children("prop")) {
    const std::string_view id = property.attribute("id").value();
    if (!properties.emplace(id, property).second) {
      document.refuse(property,
                      fmt::format("property {} is given twice (expected once)", in_quotes(id)));
    }
    if (id == "rows" || id == "cols") continue;
    const auto meant = base::nearest(id, optional_names);
    if (meant && *meant != id) {
      document.refuse(property,
                      fmt::format("unknown property {} (nearest: {})", in_quotes(id), *meant));
    }
  }
  return properties;
}

/// The property `name` in whole numbers from 1.
std::int64_t extent(const XmlDocument& document, const pugi::xml_node& element,
                    const Properties& properties, std::string_view name) {
  const auto found = properties.find(name);
  if (found == properties.end()) {
    document.refuse(element, fmt::format("{} {} has no property {} (expected <prop id=\"{}\" "
                                         "value=\"...\"/>)",
                                         element.name(), in_quotes(element.attribute("id").value()),
                                         name, name));
  }
  try {
    return base::parse_whole_number(found->second.attribute("value").value(),
                                    {1, std::numeric_limits<std::int32_t>::max()});
  } catch (const InputError& error) {
    document.refuse(found->second, fmt::format("property {}: {}", name, error.what()));
  }
}

[[noreturn]] void refuse_value(const XmlDocument& document, const pugi::xml_node& property,
                               std::string_view suggestion) {
  document.refuse(property,
                  fmt::format("property {}: unknown value {} {}", property.attribute("id").value(),
                              in_quotes(property.attribute("value").value()), suggestion));
}

/// The property `name` as one of `values`; `fallback` where it is missing.
template <typename Value, std::size_t count>
Value choice(const XmlDocument& document, const Properties& properties, std::string_view name,
             const std::array<Value, count>& values, Value fallback) {
  const auto found = properties.find(name);
  if (found == properties.end()) return fallback;
  const std::string_view text = found->second.attribute("value").value();
  std::array<std::string_view, count> names;
  std::ranges::transform(values, names.begin(),
                         [](Value value) { return array::to_string(value); });
  const auto match = std::ranges::find(names, text);
  if (match == names.end()) {
    refuse_value(document, found->second, base::suggestion(text, names));
  }
  return values[static_cast<std::size_t>(match - names.begin())];
}

/// The same of a dataflow, which has a short name as well.
array::Dataflow dataflow(const XmlDocument& document, const Properties& properties,
                         std::string_view name, array::Dataflow fallback) {
  const auto found = properties.find(name);
  if (found == properties.end()) return fallback;
  const std::string_view text = found->second.attribute("value").value();
  if (const auto named = array::dataflow_of_short_name(text)) return *named;
  const auto match =
      std::ranges::find(array::all_dataflows, text, [](array::Dataflow d) { return to_string(d); });
  if (match == array::all_dataflows.end()) {
    refuse_value(document, found->second, array::dataflow_suggestion(text));
  }
  return *match;
}

}  // namespace

array::SystolicArray array_properties(const XmlDocument& document, const pugi::xml_node& element,
                                      const array::ArrayOverrides& overrides) {
  const Properties properties = collect(document, element);
  array::ArraySize size{0, 0};
  const bool has_rows = properties.contains("rows");
  const bool has_cols = properties.contains("cols");
  if (has_rows || (has_cols && !overrides.size)) {
    size.rows = extent(document, element, properties, "rows");
  }
  if (has_cols || (has_rows && !overrides.size)) {
    size.cols = extent(document, element, properties, "cols");
  }
  size = overrides.size.value_or(size);
  array::SystolicArray array;
  array.rows = size.rows;
  array.cols = size.cols;
  array.dataflow = dataflow(document, properties, "dataflow", array.dataflow);
  array.dataflow = overrides.dataflow.value_or(array.dataflow);
  array.weight_gradient_dataflow =
      dataflow(document, properties, "weight_gradient_dataflow", array.dataflow);
  if (overrides.dataflow) array.weight_gradient_dataflow = *overrides.dataflow;
  array.input_gradient = choice(document, properties, "input_gradient",
                                array::all_input_gradient_mappings, array.input_gradient);
  return array;
}

}  // namespace layerpipe::file
