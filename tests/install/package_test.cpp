#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/golden/console_page.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;

/// A folder with the package. Whether that installs in a root with nothing else in it is tested by
/// clean_root.sh, which needs the network.
class Package : public testing::Test {
 protected:
  Package()
      : log_(console_.run("cpack --config " LAYERPIPE_BINARY_DIR
                          "/CPackConfig.cmake -B . && ls *.deb")) {}

  Console console_;
  std::string log_;
};

TEST_F(Package, SaysWhatItNeeds) {
  EXPECT_THAT(log_, testing::ContainsRegex("\nlayerpipe_" LAYERPIPE_VERSION "_[a-z0-9]+\\.deb\n$"));
  const std::string fields = console_.run("dpkg-deb -f layerpipe_*.deb");
  EXPECT_THAT(fields, HasSubstr("Version: " LAYERPIPE_VERSION "\n"));
  EXPECT_THAT(fields, testing::ContainsRegex("\nMaintainer: layerpipe\n"));
  for (const char* library :
       {"libc6", "libfmt[0-9]+", "libmd0", "libpugixml1v5", "libsimgrid[34]\\.[0-9]+",
        "libstdc\\+\\+6", "libyaml-cpp0\\.[0-9]"}) {
    EXPECT_THAT(fields, testing::ContainsRegex(fmt::format(" {} \\(>= ", library)));
  }
}

TEST_F(Package, HasTheProgramAndWhatComesWithIt) {
  EXPECT_EQ(console_.run("dpkg-deb -x layerpipe_*.deb root && ls root/usr"), "bin\nshare\n");
  EXPECT_THAT(console_.run("root/usr/bin/layerpipe --version"),
              testing::StartsWith("layerpipe " LAYERPIPE_VERSION " "));
  EXPECT_THAT(console_.run("root/usr/bin/layerpipe profile eight-128x128 vgg16"),
              testing::StartsWith("vgg16, batch 32, on a processor of 128x128 (eight-128x128)"));
  EXPECT_THAT(console_.run("ls root/usr/share/doc/layerpipe"), HasSubstr("LICENSE"));
}

}  // namespace
}  // namespace layerpipe::tests
