#include "platforms/element_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "workloads/base/text.hpp"

namespace layerpipe::platforms {

namespace {

using workloads::in_quotes;

struct Refusal {
  std::string_view name;
  std::string_view reason;
};

/// Elements that SimGrid takes, and that would change or break a simulation.
constexpr std::array<Refusal, 7> refused_elements{{
    {"config", "the settings of SimGrid belong to the simulator (expected none in the file)"},
    {"trace", "profiles are not modelled"},
    {"trace_connect", "profiles are not modelled"},
    {"peer", "peers are not modelled: their latencies do not lie on links"},
    {"actor", "what is executed is not a part of a platform"},
    {"process", "what is executed is not a part of a platform"},
    {"include", "is not a part of SimGrid any more"},
}};

constexpr std::array<std::string_view, 5> profile_attributes{
    "speed_file", "state_file", "bandwidth_file", "latency_file", "availability_file"};

enum class Bound { positive, not_negative };

/// Attributes that are quantities with a unit.
struct Quantity {
  std::string_view name;
  Bound bound;
  std::string_view example;
};

constexpr std::array<Quantity, 10> quantities{{
    {"speed", Bound::positive, "1Gf for a clock of 1 GHz"},
    {"bandwidth", Bound::positive, "64GBps"},
    {"bw", Bound::positive, "64GBps"},
    {"bb_bw", Bound::positive, "64GBps"},
    {"loopback_bw", Bound::positive, "64GBps"},
    {"limiter_link", Bound::positive, "64GBps"},
    {"latency", Bound::not_negative, "100ns"},
    {"lat", Bound::not_negative, "100ns"},
    {"bb_lat", Bound::not_negative, "100ns"},
    {"loopback_lat", Bound::not_negative, "100ns"},
}};

struct Required {
  std::string_view element;
  std::string_view attribute;
};

constexpr std::array<Required, 14> required_attributes{{{"host", "id"},
                                                        {"host", "speed"},
                                                        {"cluster", "id"},
                                                        {"cluster", "radical"},
                                                        {"cluster", "speed"},
                                                        {"cluster", "bw"},
                                                        {"cluster", "lat"},
                                                        {"cabinet", "radical"},
                                                        {"cabinet", "speed"},
                                                        {"cabinet", "bw"},
                                                        {"cabinet", "lat"},
                                                        {"link", "id"},
                                                        {"link", "bandwidth"},
                                                        {"link", "latency"}}};

bool is_empty(const pugi::xml_node& element, std::string_view attribute) {
  return std::string_view(element.attribute(std::string(attribute).c_str()).value()).empty();
}

/// Why `text` is no quantity within its bound; empty if it is one.
std::string_view problem(const char* text, Bound bound) {
  char* unit = nullptr;
  const double value = std::strtod(text, &unit);
  if (unit == text || !std::isfinite(value)) return "is not a number with a unit";
  if (bound == Bound::positive && value <= 0.0) return "is not positive";
  if (value < 0.0) return "is negative";
  if (value != 0.0 && *unit == '\0') return "has no unit";
  if (std::string_view(unit).find(',') != std::string_view::npos) return "is a list";
  return {};
}

void check_attribute(const XmlDocument& document, const pugi::xml_node& element,
                     const pugi::xml_attribute& attribute) {
  const std::string_view name = attribute.name();
  const std::string_view value = attribute.value();
  if (value.empty()) return;
  if (std::ranges::find(profile_attributes, name) != profile_attributes.end()) {
    document.refuse(element, fmt::format("{}: profiles are not modelled", name));
  }
  if (name == "id" && !workloads::is_printable_line(value)) {
    document.refuse(element, fmt::format("id {} is not printable", in_quotes(value)));
  }
  if (name == "core" && value != "1") {
    document.refuse(element, fmt::format("core {}: a processor executes one operation at a time "
                                         "(expected 1)",
                                         in_quotes(value)));
  }
  for (const Quantity& quantity : quantities) {
    if (quantity.name != name) continue;
    if (const auto wrong = problem(attribute.value(), quantity.bound); !wrong.empty()) {
      document.refuse(element, fmt::format("{} {} {} (expected for example {})", name,
                                           in_quotes(value), wrong, quantity.example));
    }
  }
}

}  // namespace

void check_element(const XmlDocument& document, const pugi::xml_node& element) {
  const std::string_view name = element.name();
  for (const Refusal& refusal : refused_elements) {
    if (refusal.name == name) {
      document.refuse(element, fmt::format("<{}>: {}", name, refusal.reason));
    }
  }
  for (const Required& required : required_attributes) {
    if (required.element == name && is_empty(element, required.attribute)) {
      document.refuse(element, fmt::format("{} without {}", name, required.attribute));
    }
  }
  for (const pugi::xml_attribute& attribute : element.attributes()) {
    check_attribute(document, element, attribute);
  }
}

}  // namespace layerpipe::platforms
