#include "platforms/machine/topology.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace layerpipe::machine {
namespace {

using Links = std::vector<std::size_t>;

Machine machine(std::size_t processors, std::size_t links,
                const std::function<Links(std::size_t from, std::size_t to)>& route) {
  Machine result;
  for (std::size_t p = 0; p < processors; ++p) result.processors.push_back("p");
  for (std::size_t link = 0; link < links; ++link) result.links.push_back({"link", 1e9, true});
  result.route = [route](std::size_t from, std::size_t to) { return Route{route(from, to), 0.0}; };
  return result;
}

// Links 0 to 3 lead to the switch, 4 to 7 from it.
TEST(FindTopology, KnowsACrossbar) {
  const auto route = [](std::size_t from, std::size_t to) { return Links{from, 4 + to}; };
  EXPECT_EQ(find_topology(machine(4, 8, route)), Topology::crossbar);
  EXPECT_EQ(find_topology(machine(4, 9, route)), std::nullopt) << "a link that no route crosses";
}

// Link p leads from processor p to the next one, link 3 + p back.
TEST(FindTopology, KnowsAChain) {
  const auto route = [](std::size_t from, std::size_t to) {
    Links links;
    for (; from < to; ++from) links.push_back(from);
    for (; from > to; --from) links.push_back(3 + from - 1);
    return links;
  };
  EXPECT_EQ(find_topology(machine(4, 6, route)), Topology::chain);
  EXPECT_EQ(find_topology(machine(2, 2, [](std::size_t from, std::size_t) { return Links{from}; })),
            Topology::chain);
}

// In a ring the first and the last processor are neighbours, too.
TEST(FindTopology, KnowsNoOther) {
  const auto one_link = [](std::size_t from, std::size_t to) { return Links{4 * from + to}; };
  EXPECT_EQ(find_topology(machine(4, 16, one_link)), std::nullopt);
  const auto ring = [](std::size_t from, std::size_t to) {
    return (from + 1) % 3 == to ? Links{from} : Links{3 + to};
  };
  EXPECT_EQ(find_topology(machine(3, 6, ring)), std::nullopt);
  EXPECT_EQ(find_topology(machine(1, 2, one_link)), std::nullopt);
}

}  // namespace
}  // namespace layerpipe::machine
