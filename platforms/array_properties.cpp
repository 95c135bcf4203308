#include "platforms/array_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::platforms {

namespace {

using workloads::in_quotes;
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
    const auto meant = workloads::nearest(id, optional_names);
    if (meant && *meant != id) {
      document.refuse(property,
                      fmt::format("unknown property {} (nearest: {})", in_quotes(id), *meant));
    }
  }
  return properties;
}

/// The property `name` in whole numbers from 1; `fallback`, if there is one, where it is missing.
std::int64_t extent(const XmlDocument& document, const pugi::xml_node& element,
                    const Properties& properties, std::string_view name,
                    std::optional<std::int64_t> fallback) {
  const auto found = properties.find(name);
  if (found == properties.end()) {
    if (fallback) return *fallback;
    document.refuse(element, fmt::format("{} {} has no property {} (expected <prop id=\"{}\" "
                                         "value=\"...\"/>)",
                                         element.name(), in_quotes(element.attribute("id").value()),
                                         name, name));
  }
  try {
    return workloads::parse_whole_number(found->second.attribute("value").value(),
                                         {1, std::numeric_limits<std::int32_t>::max()});
  } catch (const InputError& error) {
    document.refuse(found->second, fmt::format("property {}: {}", name, error.what()));
  }
}

/// The property `name` as one of `values`; `fallback` where it is missing.
template <typename Value, std::size_t count>
Value choice(const XmlDocument& document, const Properties& properties, std::string_view name,
             const std::array<Value, count>& values, Value fallback) {
  const auto found = properties.find(name);
  if (found == properties.end()) return fallback;
  const std::string_view text = found->second.attribute("value").value();
  std::array<std::string_view, count> names;
  std::ranges::transform(values, names.begin(), [](Value value) { return to_string(value); });
  const auto match = std::ranges::find(names, text);
  if (match == names.end()) {
    document.refuse(found->second,
                    fmt::format("property {}: unknown value {} {}", name, in_quotes(text),
                                workloads::suggestion(text, names)));
  }
  return values[static_cast<std::size_t>(match - names.begin())];
}

}  // namespace

SystolicArray array_properties(const XmlDocument& document, const pugi::xml_node& element,
                               std::optional<ArraySize> size) {
  const Properties properties = collect(document, element);
  const auto fallback = [&](std::int64_t ArraySize::*member) {
    return size ? std::optional((*size).*member) : std::nullopt;
  };
  SystolicArray array;
  array.rows = extent(document, element, properties, "rows", fallback(&ArraySize::rows));
  array.cols = extent(document, element, properties, "cols", fallback(&ArraySize::cols));
  if (size) {
    array.rows = size->rows;
    array.cols = size->cols;
  }
  array.dataflow = choice(document, properties, "dataflow", all_dataflows, array.dataflow);
  array.weight_gradient_dataflow =
      choice(document, properties, "weight_gradient_dataflow", all_dataflows, array.dataflow);
  array.input_gradient = choice(document, properties, "input_gradient", all_input_gradient_mappings,
                                array.input_gradient);
  return array;
}

}  // namespace layerpipe::platforms
