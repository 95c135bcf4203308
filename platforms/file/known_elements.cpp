#include "platforms/file/known_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::file {

namespace {

using base::in_quotes;
using Names = std::span<const std::string_view>;

struct Attribute {
  std::string_view name;
  Names choice = {};  ///< values, if there is a choice of them
};

struct Element {
  std::string_view name;
  std::span<const Attribute> attributes;
};

template <typename... Words>
constexpr std::array<std::string_view, sizeof...(Words)> words(Words... all) {
  return {all...};
}

constexpr auto yes_or_no = words("YES", "NO", "yes", "no");
constexpr auto directions = words("UP", "DOWN", "NONE");
constexpr auto topologies = words("FLAT", "TORUS", "FAT_TREE", "DRAGONFLY");
constexpr auto cluster_sharing = words("SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE");
constexpr auto link_sharing = words("SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE", "WIFI");
constexpr auto backbone_sharing = words("SHARED", "FATPIPE");
constexpr auto generators = words("DRAND48", "RAND", "RNGSTREAM", "NONE");

constexpr std::array<Attribute, 1> platform{{{"version"}}};
constexpr std::array<Attribute, 2> zone{{{"id"}, {"routing"}}};
constexpr std::array<Attribute, 8> host{{{"id"},
                                         {"speed"},
                                         {"core"},
                                         {"speed_file"},
                                         {"availability_file"},
                                         {"state_file"},
                                         {"coordinates"},
                                         {"pstate"}}};
constexpr std::array<Attribute, 3> disk{{{"id"}, {"read_bw"}, {"write_bw"}}};
constexpr std::array<Attribute, 3> host_link{{{"id"}, {"up"}, {"down"}}};
constexpr std::array<Attribute, 18> cluster{{{"id"},
                                             {"prefix"},
                                             {"suffix"},
                                             {"radical"},
                                             {"speed"},
                                             {"core"},
                                             {"bw"},
                                             {"lat"},
                                             {"sharing_policy", cluster_sharing},
                                             {"topology", topologies},
                                             {"topo_parameters"},
                                             {"bb_bw"},
                                             {"bb_lat"},
                                             {"bb_sharing_policy", backbone_sharing},
                                             {"router_id"},
                                             {"limiter_link"},
                                             {"loopback_bw"},
                                             {"loopback_lat"}}};
constexpr std::array<Attribute, 7> cabinet{
    {{"id"}, {"prefix"}, {"suffix"}, {"radical"}, {"speed"}, {"bw"}, {"lat"}}};
constexpr std::array<Attribute, 2> router{{{"id"}, {"coordinates"}}};
constexpr std::array<Attribute, 3> backbone{{{"id"}, {"bandwidth"}, {"latency"}}};
constexpr std::array<Attribute, 7> link{{{"id"},
                                         {"bandwidth"},
                                         {"latency"},
                                         {"sharing_policy", link_sharing},
                                         {"bandwidth_file"},
                                         {"latency_file"},
                                         {"state_file"}}};
constexpr std::array<Attribute, 2> link_ctn{{{"id"}, {"direction", directions}}};
constexpr std::array<Attribute, 3> route{{{"src"}, {"dst"}, {"symmetrical", yes_or_no}}};
constexpr std::array<Attribute, 2> bypass_route{{{"src"}, {"dst"}}};
constexpr std::array<Attribute, 5> zone_route{
    {{"src"}, {"dst"}, {"gw_src"}, {"gw_dst"}, {"symmetrical", yes_or_no}}};
constexpr std::array<Attribute, 4> bypass_zone_route{{{"src"}, {"dst"}, {"gw_src"}, {"gw_dst"}}};
constexpr std::array<Attribute, 2> prop{{{"id"}, {"value"}}};
constexpr std::array<Attribute, 4> storage_type{{{"id"}, {"model"}, {"size"}, {"content"}}};
constexpr std::array<Attribute, 4> storage{{{"id"}, {"typeId"}, {"content"}, {"attach"}}};
constexpr std::array<Attribute, 2> mount{{{"storageId"}, {"name"}}};
constexpr std::array<Attribute, 8> random{{{"id"},
                                           {"min"},
                                           {"max"},
                                           {"mean"},
                                           {"std_deviation"},
                                           {"seed"},
                                           {"radical"},
                                           {"generator", generators}}};

/// All but those that are refused as not modelled, before this is asked.
constexpr std::array<Element, 24> elements{{{"host", host},
                                            {"link", link},
                                            {"zone", zone},
                                            {"route", route},
                                            {"link_ctn", link_ctn},
                                            {"prop", prop},
                                            {"cluster", cluster},
                                            {"cabinet", cabinet},
                                            {"backbone", backbone},
                                            {"router", router},
                                            {"host_link", host_link},
                                            {"zoneRoute", zone_route},
                                            {"bypassRoute", bypass_route},
                                            {"bypassZoneRoute", bypass_zone_route},
                                            {"AS", zone},
                                            {"ASroute", zone_route},
                                            {"bypassASroute", bypass_zone_route},
                                            {"disk", disk},
                                            {"storage_type", storage_type},
                                            {"storage", storage},
                                            {"mount", mount},
                                            {"model_prop", prop},
                                            {"random", random},
                                            {"platform", platform}}};

template <typename Table>
std::vector<std::string_view> names_in(const Table& table) {
  std::vector<std::string_view> names;
  names.reserve(table.size());
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

void check_attribute(const XmlDocument& document, const pugi::xml_node& node,
                     std::span<const Attribute> known, const pugi::xml_attribute& attribute) {
  const std::string_view name = attribute.name();
  const auto found = std::ranges::find(known, name, &Attribute::name);
  if (found == known.end()) {
    document.refuse(node, fmt::format("{}: unknown attribute {} {}", node.name(), in_quotes(name),
                                      base::suggestion(name, names_in(known))));
  }
  const Names choice = found->choice;
  const std::string_view value = attribute.value();
  if (choice.empty() || std::ranges::find(choice, value) != choice.end()) return;
  document.refuse(node, fmt::format("{}: unknown value {} {}", name, in_quotes(value),
                                    base::suggestion(value, choice)));
}

}  // namespace

void check_known(const XmlDocument& document, const pugi::xml_node& element) {
  const std::string_view name = element.name();
  const auto found = std::ranges::find(elements, name, &Element::name);
  if (found == elements.end()) {
    document.refuse(element, fmt::format("unknown element {} {}", in_quotes(name),
                                         base::suggestion(name, names_in(elements))));
  }
  for (const pugi::xml_attribute& attribute : element.attributes()) {
    check_attribute(document, element, found->attributes, attribute);
  }
}

}  // namespace layerpipe::file
