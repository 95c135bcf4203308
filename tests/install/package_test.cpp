#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/golden/console_page.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;

// Whether the package installs in a root without anything else is tested by clean_root.sh, which
// needs the network. Here it is unpacked.
TEST(Package, HasTheProgramWithWhatItNeeds) {
  const Console console;
  const std::string log =
      console.run("cpack --config " LAYERPIPE_BINARY_DIR "/CPackConfig.cmake -B . && ls *.deb");
  EXPECT_THAT(log, testing::ContainsRegex("\nlayerpipe_" LAYERPIPE_VERSION "_[a-z0-9]+\\.deb\n$"));
  const std::string fields = console.run("dpkg-deb -f layerpipe_*.deb");
  EXPECT_THAT(fields, HasSubstr("Version: " LAYERPIPE_VERSION "\n"));
  for (const char* library :
       {"libc6", "libfmt9", "libpugixml1v5", "libsimgrid3.32", "libstdc++6", "libyaml-cpp0.7"}) {
    EXPECT_THAT(fields, HasSubstr(std::string(" ") + library + " (>= "));
  }
  EXPECT_EQ(console.run("dpkg-deb -x layerpipe_*.deb root"), "");
  EXPECT_THAT(console.run("root/usr/bin/layerpipe --version"),
              testing::StartsWith("layerpipe " LAYERPIPE_VERSION " "));
  EXPECT_THAT(console.run("root/usr/bin/layerpipe profile eight-128x128 vgg16"),
              testing::StartsWith("vgg16, batch 32, on a processor of 128x128 (eight-128x128)"));
  EXPECT_EQ(console.run("ls root/usr"), "bin\nshare\n");
  EXPECT_THAT(console.run("ls root/usr/share/doc/layerpipe"), HasSubstr("LICENSE"));
}

}  // namespace
}  // namespace layerpipe::tests
