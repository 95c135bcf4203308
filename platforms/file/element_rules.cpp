#include "platforms/file/element_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "platforms/file/known_elements.hpp"
#include "platforms/file/simgrid_units.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::file {

namespace {

using base::in_quotes;

struct Refusal {
  std::string_view name;
  std::string_view reason;
};

/// Elements that SimGrid takes, and that would change or break a simulation.
constexpr std::array<Refusal, 7> refused_elements{{
    {"config", "the settings of SimGrid belong to the simulator (expected none in the file)"},
    {"trace", "profiles are not modelled (expected none)"},
    {"trace_connect", "profiles are not modelled (expected none)"},
    {"peer", "peers are not modelled: their latencies do not lie on links (expected hosts)"},
    {"actor", "what is executed is not a part of a platform (expected none)"},
    {"process", "what is executed is not a part of a platform (expected none)"},
    {"include", "is not a part of SimGrid any more (expected all in one file)"},
}};

constexpr std::array<std::string_view, 5> profile_attributes{
    "speed_file", "state_file", "bandwidth_file", "latency_file", "availability_file"};

/// Attributes that are quantities with a unit.
struct Quantity {
  std::string_view name;
  Dimension dimension;
};

constexpr std::array<Quantity, 10> quantities{{{"speed", Dimension::speed},
                                               {"bandwidth", Dimension::bandwidth},
                                               {"bw", Dimension::bandwidth},
                                               {"bb_bw", Dimension::bandwidth},
                                               {"loopback_bw", Dimension::bandwidth},
                                               {"limiter_link", Dimension::bandwidth},
                                               {"latency", Dimension::time},
                                               {"lat", Dimension::time},
                                               {"bb_lat", Dimension::time},
                                               {"loopback_lat", Dimension::time}}};

/// Names, their own and those of others.
constexpr std::array<std::string_view, 7> name_attributes{"id",     "src",    "dst",   "gw_src",
                                                          "gw_dst", "prefix", "suffix"};

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

std::string_view example(Dimension dimension) {
  switch (dimension) {
    case Dimension::speed:
      return "1Gf for a clock of 1 GHz";
    case Dimension::bandwidth:
      return "64GBps";
    case Dimension::time:
      return "100ns";
  }
  throw InternalError("unknown dimension");
}

bool is_hexadecimal(std::string_view text) {
  const std::size_t letter = text.find_first_not_of("+-0123456789. \t\r\n");
  return letter != std::string_view::npos && (text[letter] == 'x' || text[letter] == 'X');
}

/// Why `text` is no such quantity, or one that cannot be meant; empty if it is good. SimGrid reads
/// the number with strtod as well.
std::string problem(const char* text, Dimension dimension) {
  constexpr double smallest_rate = 1.0;
  constexpr double largest_rate = 1e18;
  constexpr double longest_seconds = 1e9;
  const bool is_rate = dimension != Dimension::time;
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  const std::string_view unit = end;
  if (end == text || !std::isfinite(number)) return "is not a number with a unit";
  if (is_hexadecimal(text)) return "is hexadecimal";
  if (unit.find(',') != std::string_view::npos) return "is a list";
  if (is_rate && number <= 0.0) return "is not positive";
  if (number < 0.0) return "is negative";
  if (number == 0.0 && unit.empty()) return {};
  if (unit.empty()) return "has no unit";
  const auto factor = simgrid_unit(dimension, unit);
  if (!factor) return fmt::format("has an unknown unit {}", in_quotes(unit));
  const double value = number * *factor;
  if (is_rate && value < smallest_rate) {
    return dimension == Dimension::speed ? "is below 1 Hz" : "is below 1 B/s";
  }
  if (value > (is_rate ? largest_rate : longest_seconds)) return "is too large";
  return {};
}

void check_name(const XmlDocument& document, const pugi::xml_node& element, std::string_view name,
                std::string_view value) {
  constexpr std::size_t longest = 1024;
  if (value.size() > longest) {
    document.refuse(element, fmt::format("{} {} is too long (expected at most {} bytes)", name,
                                         in_quotes(value), longest));
  }
  if (!base::is_printable_line(value)) {
    document.refuse(element, fmt::format("{} {} is not printable (expected UTF-8 on one line)",
                                         name, in_quotes(value)));
  }
}

/// Numbers from 1, with ',' or ';' between them. SimGrid takes negative ones as well.
bool are_counts(std::string_view text) {
  constexpr std::size_t most_digits = 9;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;", begin), text.size());
    const std::string_view number = text.substr(begin, end - begin);
    if (number.empty() || number.size() > most_digits || number.starts_with('0')) return false;
    if (number.find_first_not_of("0123456789") != std::string_view::npos) return false;
    begin = end + 1;
  }
  return true;
}

/// The number behind as many semicolons in a text of counts.
int count_behind(std::string_view counts, int semicolons) {
  for (; semicolons > 0; --semicolons) counts.remove_prefix(counts.find(';') + 1);
  int count = 0;
  std::from_chars(counts.data(), counts.data() + counts.size(), count);
  return count;
}

/// SimGrid leads to the n-th group through the n-th blade of a chassis, and does not ask whether
/// there is one.
void check_dragonfly(const XmlDocument& document, const pugi::xml_node& cluster,
                     std::string_view parameters) {
  const int groups = count_behind(parameters, 0);
  const int blades = count_behind(parameters, 2);
  if (groups <= blades) return;
  document.refuse(cluster, fmt::format("topo_parameters {} of a DRAGONFLY have {} groups and {} "
                                       "blades in a chassis (expected at least as many blades)",
                                       in_quotes(parameters), groups, blades));
}

/// SimGrid does not say where, nor what it misses but "stoi".
void check_topology(const XmlDocument& document, const pugi::xml_node& cluster) {
  struct Topology {
    std::string_view name;
    std::ptrdiff_t semicolons;
    std::string_view example;
  };
  constexpr std::array<Topology, 3> topologies{
      {{"TORUS", 0, "4,4"}, {"FAT_TREE", 3, "2;4,4;1,2;1,2"}, {"DRAGONFLY", 3, "3,4;3,2;3,1;2"}}};
  const std::string_view parameters = cluster.attribute("topo_parameters").value();
  for (const Topology& topology : topologies) {
    if (topology.name != cluster.attribute("topology").value()) continue;
    if (are_counts(parameters) && std::ranges::count(parameters, ';') == topology.semicolons) {
      if (topology.name == "DRAGONFLY") check_dragonfly(document, cluster, parameters);
      return;
    }
    document.refuse(cluster, fmt::format("topo_parameters {} of a {} (expected whole numbers from "
                                         "1, for example {})",
                                         in_quotes(parameters), topology.name, topology.example));
  }
}

void check_attribute(const XmlDocument& document, const pugi::xml_node& element,
                     const pugi::xml_attribute& attribute) {
  const std::string_view name = attribute.name();
  const std::string_view value = attribute.value();
  if (value.empty()) return;
  if (std::ranges::find(profile_attributes, name) != profile_attributes.end()) {
    document.refuse(element,
                    fmt::format("{}: profiles are not modelled (expected no such file)", name));
  }
  if (std::ranges::find(name_attributes, name) != name_attributes.end()) {
    check_name(document, element, name, value);
  }
  if (name == "core" && value != "1") {
    document.refuse(element, fmt::format("core {}: a processor executes one operation at a time "
                                         "(expected 1)",
                                         in_quotes(value)));
  }
  for (const Quantity& quantity : quantities) {
    if (quantity.name != name) continue;
    if (const auto wrong = problem(attribute.value(), quantity.dimension); !wrong.empty()) {
      document.refuse(element, fmt::format("{} {} {} (expected for example {})", name,
                                           in_quotes(value), wrong, example(quantity.dimension)));
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
  check_known(document, element);
  for (const Required& required : required_attributes) {
    if (required.element == name && is_empty(element, required.attribute)) {
      document.refuse(element, fmt::format("{} without {} (expected {}=\"...\")", name,
                                           required.attribute, required.attribute));
    }
  }
  for (const pugi::xml_attribute& attribute : element.attributes()) {
    check_attribute(document, element, attribute);
  }
  if (name != "cluster") return;
  check_topology(document, element);
  if (std::string_view(element.attribute("sharing_policy").value()) == "FATPIPE") {
    document.refuse(element,
                    "sharing_policy FATPIPE of a cluster: SimGrid would share its links all the "
                    "same (expected SHARED or SPLITDUPLEX, or links of their own)");
  }
  if (is_empty(element, "bb_bw") && !is_empty(element, "bb_lat")) {
    document.refuse(element, "bb_lat without bb_bw (expected both for a backbone)");
  }
}

}  // namespace layerpipe::file
