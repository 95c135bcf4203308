#include "platforms/file/zone_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "platforms/file/platform_file.hpp"
#include "tests/platforms/platform_text.hpp"

namespace layerpipe::file {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using tests::host;
using tests::refusal;
using tests::zone;

TEST(ZoneRoutes, AcceptsBothWaysIfTheyAreNotSymmetrical) {
  const std::string text = zone(host("p0") + host("p1") +
                                R"(<link id="l" bandwidth="1Bps" latency="0"/>
<route src="p0" dst="p1" symmetrical="NO"><link_ctn id="l"/></route>
<route src="p1" dst="p0" symmetrical="no"><link_ctn id="l"/></route>)");
  EXPECT_EQ(check_platform(text, "f.xml").hosts.size(), 2U);
}

TEST(ZoneRoutes, RefusesUnknownRouting) {
  EXPECT_THAT(refusal(zone(host("p"), "Star")), StartsWith("f.xml:3:1: unknown routing 'Star'"));
  EXPECT_THAT(refusal(zone(host("p"), "Dijsktra")), HasSubstr("(nearest: Dijkstra)"));
  EXPECT_NO_THROW(static_cast<void>(check_platform(zone(host("p"), "full"), "f.xml")));
}

TEST(ZoneRoutes, RefusesFloydForMany) {
  std::string hosts;
  for (int i = 0; i < 512; ++i) hosts += host("p" + std::to_string(i));
  EXPECT_EQ(check_platform(zone(hosts, "Floyd"), "f.xml").hosts.size(), 512U);
  EXPECT_EQ(refusal<InfeasibleError>(zone(hosts + "<router id=\"r\"/>", "floyd")),
            "f.xml:3:1: 513 members of a zone with routing Floyd (expected at most 512, or routing "
            "DijkstraCache)");
  EXPECT_NO_THROW(
      static_cast<void>(check_platform(zone(hosts + "<router id=\"r\"/>", "Full"), "f.xml")));
}

TEST(ZoneRoutes, RefusesGapsInDijkstrasRouting) {
  const std::string body = host("p0") + host("p1") + host("p2") +
                           R"(<link id="l" bandwidth="1Bps" latency="0"/>
<route src="p0" dst="p1"><link_ctn id="l"/></route>)";
  for (const char* routing : {"Dijkstra", "DijkstraCache"}) {
    EXPECT_THAT(refusal(zone(body, routing)), StartsWith("f.xml:3:1: no route from p0 to p2"));
  }
  EXPECT_THAT(refusal(zone(host("p0") + host("p1"), "None")),
              StartsWith("f.xml:3:1: no route from p0 to p1"));
  const std::string one_way = R"(
<route src="p1" dst="p2" symmetrical="NO"><link_ctn id="l"/></route>)";
  EXPECT_THAT(refusal(zone(body + one_way, "Dijkstra")),
              StartsWith("f.xml:3:1: no route from p2 to p0"));
  const std::string way_back = R"(
<route src="p2" dst="p0" symmetrical="NO"><link_ctn id="l"/></route>)";
  EXPECT_NO_THROW(
      static_cast<void>(check_platform(zone(body + one_way + way_back, "Dijkstra"), "f.xml")));
}

TEST(ZoneRoutes, RefusesHostsOfAClusterZoneWithoutALink) {
  const std::string link =
      "<link id=\"l\" bandwidth=\"1Bps\" latency=\"0\"/>\n"
      "<host_link id=\"p0\" up=\"l\" down=\"l\"/>\n";
  EXPECT_THAT(refusal(zone(host("p0") + host("p1") + link, "Cluster")),
              StartsWith("f.xml:5:1: host 'p1' has no <host_link>"));
  EXPECT_NO_THROW(static_cast<void>(check_platform(zone(host("p0") + link, "Cluster"), "f.xml")));
}

}  // namespace
}  // namespace layerpipe::file
