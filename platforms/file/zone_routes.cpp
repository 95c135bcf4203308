#include "platforms/file/zone_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::file {

namespace {

using base::in_quotes;

constexpr std::array<std::string_view, 6> routings{"Full",          "Floyd",   "Dijkstra",
                                                   "DijkstraCache", "Cluster", "None"};

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto w) { return equals_ignoring_case(w, word); });
}

void check_routing(const XmlDocument& document, const pugi::xml_node& zone,
                   std::string_view routing) {
  if (is_one_of(routing, {"Vivaldi", "Wifi"})) {
    document.refuse(zone, fmt::format("routing {} is not modelled (expected {})",
                                      in_quotes(routing), base::one_of(routings)));
  }
  const bool is_known =
      std::ranges::any_of(routings, [&](auto r) { return equals_ignoring_case(r, routing); });
  if (!is_known) {
    document.refuse(zone, fmt::format("unknown routing {} {}", in_quotes(routing),
                                      base::suggestion(routing, routings)));
  }
}

using Pair = std::pair<std::string_view, std::string_view>;

/// Source and destination of each route in `zone`, the ways back included.
std::set<Pair> routes(const XmlDocument& document, const pugi::xml_node& zone) {
  std::set<Pair> pairs;
  for (const pugi::xml_node& route : zone.children()) {
    if (!is_one_of(route.name(), {"route", "zoneRoute", "ASroute"})) continue;
    const Pair way{route.attribute("src").value(), route.attribute("dst").value()};
    const Pair back{way.second, way.first};
    const bool symmetrical = !equals_ignoring_case(route.attribute("symmetrical").value(), "no");
    const bool is_new = pairs.insert(way).second;
    if (!is_new || (symmetrical && way != back && !pairs.insert(back).second)) {
      document.refuse(route,
                      fmt::format("a second route from {} to {} (a route is also one for the "
                                  "way back unless symmetrical=\"no\")",
                                  in_quotes(way.first), in_quotes(way.second)));
    }
  }
  return pairs;
}

/// What routes of `zone` can join.
std::vector<std::string_view> members(const pugi::xml_node& zone) {
  std::vector<std::string_view> names;
  for (const pugi::xml_node& child : zone.children()) {
    if (is_one_of(child.name(), {"host", "router", "zone", "AS", "cluster"})) {
      names.emplace_back(child.attribute("id").value());
    }
  }
  return names;
}

using Neighbours = std::map<std::string_view, std::vector<std::string_view>>;

/// The first of `names` that cannot be reached from `start`.
std::optional<std::string_view> unreachable(const std::vector<std::string_view>& names,
                                            const Neighbours& neighbours, std::string_view start) {
  std::set<std::string_view> reached{start};
  std::vector<std::string_view> open{start};
  while (!open.empty()) {
    const auto found = neighbours.find(open.back());
    open.pop_back();
    if (found == neighbours.end()) continue;
    for (const std::string_view next : found->second) {
      if (reached.insert(next).second) open.push_back(next);
    }
  }
  for (const std::string_view name : names) {
    if (!reached.contains(name)) return name;
  }
  return std::nullopt;
}

/// Floyd's algorithm takes the cube of their number in time, which is 0.2 s for this many.
void check_floyd(const XmlDocument& document, const pugi::xml_node& zone) {
  constexpr std::size_t most = 512;
  const std::size_t count = members(zone).size();
  if (count <= most) return;
  throw InfeasibleError(fmt::format(
      "{}: {} members of a zone with routing Floyd (expected at most {}, or routing DijkstraCache)",
      to_string(document.position(zone)), count, most));
}

void check_reachable(const XmlDocument& document, const pugi::xml_node& zone,
                     const std::set<Pair>& pairs) {
  const std::vector<std::string_view> names = members(zone);
  if (names.size() < 2) return;
  Neighbours forth;
  Neighbours back;
  for (const auto& [source, destination] : pairs) {
    forth[source].push_back(destination);
    back[destination].push_back(source);
  }
  const std::string_view start = names.front();
  const auto refuse = [&](std::string_view source, std::string_view destination) {
    document.refuse(zone,
                    fmt::format("no route from {} to {} (expected a way between all members of "
                                "a zone with routing {})",
                                source, destination, zone.attribute("routing").value()));
  };
  if (const auto missing = unreachable(names, forth, start)) refuse(start, *missing);
  if (const auto missing = unreachable(names, back, start)) refuse(*missing, start);
}

/// SimGrid lets a host without a link to the switch send at no cost.
void check_host_links(const XmlDocument& document, const pugi::xml_node& zone) {
  std::set<std::string_view> linked;
  for (const pugi::xml_node& link : zone.children("host_link")) {
    linked.insert(link.attribute("id").value());
  }
  for (const pugi::xml_node& host : zone.children("host")) {
    const std::string_view id = host.attribute("id").value();
    if (linked.contains(id)) continue;
    document.refuse(host, fmt::format("host {} has no <host_link> (expected one in a zone with "
                                      "routing Cluster)",
                                      in_quotes(id)));
  }
}

}  // namespace

void check_zone_routes(const XmlDocument& document, const pugi::xml_node& zone) {
  const std::string_view routing = zone.attribute("routing").value();
  check_routing(document, zone, routing);
  const std::set<Pair> pairs = routes(document, zone);
  if (is_one_of(routing, {"Floyd"})) check_floyd(document, zone);
  if (is_one_of(routing, {"Dijkstra", "DijkstraCache", "None"}))
    check_reachable(document, zone, pairs);
  if (is_one_of(routing, {"Cluster"})) check_host_links(document, zone);
}

}  // namespace layerpipe::file
