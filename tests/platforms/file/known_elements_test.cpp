#include "platforms/file/known_elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "platforms/file/platform_file.hpp"
#include "tests/platforms/platform_text.hpp"

namespace layerpipe::file {
namespace {

using testing::StartsWith;
using tests::refusal;
using tests::Refused;
using tests::zone;

TEST(KnownElements, RefusesWhatSimGridDoesNotKnow) {
  for (const auto& [body, message] : {
           Refused{"<link id=\"l\" bandwith=\"1Bps\" latency=\"0\"/>",
                   "link: unknown attribute 'bandwith' (nearest: bandwidth)"},
           Refused{"<host name=\"p\" speed=\"1Gf\"/>",
                   "host: unknown attribute 'name' (expected id, speed, core, speed_file, "},
           Refused{"<host id=\"p\" sped=\"1Gf\"/>",
                   "host: unknown attribute 'sped' (nearest: speed)"},
           Refused{"<prop id=\"rows\" valeu=\"32\"/>",
                   "prop: unknown attribute 'valeu' (nearest: value)"},
           Refused{"<route scr=\"p0\" dst=\"p1\"/>",
                   "route: unknown attribute 'scr' (nearest: src)"},
           Refused{"<zoneRoute src=\"p0\" dst=\"p1\" gwsrc=\"p0\" gw_dst=\"p1\"/>",
                   "zoneRoute: unknown attribute 'gwsrc' (nearest: gw_src)"},
           Refused{"<link_ctn name=\"l\"/>",
                   "link_ctn: unknown attribute 'name' (expected id or direction)"},
           Refused{"<zone id=\"y\" rooting=\"Full\"/>",
                   "zone: unknown attribute 'rooting' (nearest: routing)"},
           Refused{"<cluster id=\"c\" bandwidth=\"1Bps\"/>",
                   "cluster: unknown attribute 'bandwidth' (expected id, prefix, suffix, "},
           Refused{"<link_ctn id=\"l\" direction=\"up\"/>",
                   "direction: unknown value 'up' (nearest: UP)"},
           Refused{"<link id=\"l\" sharing_policy=\"SPLIT\"/>",
                   "sharing_policy: unknown value 'SPLIT' (nearest: SPLITDUPLEX)"},
           Refused{"<route src=\"p0\" dst=\"p1\" symmetrical=\"maybe\"/>",
                   "symmetrical: unknown value 'maybe' (expected YES, NO, yes or no)"},
           Refused{"<hots id=\"p\" speed=\"1Gf\"/>", "unknown element 'hots' (nearest: host)"},
       }) {
    EXPECT_THAT(refusal(zone(body)), StartsWith("f.xml:4:1: " + message)) << body;
  }
  EXPECT_EQ(refusal("<!DOCTYPE platform>\n<platform verzion=\"4.1\"/>"),
            "f.xml:2:1: platform: unknown attribute 'verzion' (nearest: version)");
}

}  // namespace
}  // namespace layerpipe::file
