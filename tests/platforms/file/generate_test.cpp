#include "platforms/file/generate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "platforms/file/platform_file.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::file {
namespace {

using namespace array;
using namespace machine;

using testing::HasSubstr;
using testing::Not;

PlatformSpec spec(std::int64_t processors, std::int64_t extent, Topology topology) {
  PlatformSpec result;
  result.processors = processors;
  result.array.rows = extent;
  result.array.cols = extent;
  result.topology = topology;
  return result;
}

std::string shipped(const std::string& name) {
  std::ifstream file(LAYERPIPE_SOURCE_DIR "/platforms/" + name + ".xml", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The specifications of the shipped platforms by name: 2, 4, 8, 12 and 16 processors with arrays
/// of 32, 64, 128 and 256 squared, and 3 processors of the smallest, each as a crossbar and as a
/// chain. 1 GHz, 64 GB/s and 100 ns are the defaults of PlatformSpec.
std::map<std::string, PlatformSpec> shipped_specs() {
  const std::pair<const char*, std::int64_t> numbers[] = {
      {"two", 2}, {"three", 3}, {"four", 4}, {"eight", 8}, {"twelve", 12}, {"sixteen", 16}};
  std::map<std::string, PlatformSpec> specs;
  for (const auto& [word, processors] : numbers) {
    for (const std::int64_t extent : {32, 64, 128, 256}) {
      if (processors == 3 && extent > 32) continue;
      const std::string name = fmt::format("{0}-{1}x{1}", word, extent);
      specs[name] = spec(processors, extent, Topology::crossbar);
      specs[name + "-chain"] = spec(processors, extent, Topology::chain);
    }
  }
  return specs;
}

TEST(Generate, WritesTheShippedPlatforms) {
  for (const auto& [name, spec] : shipped_specs()) {
    EXPECT_EQ(shipped(name), platform_xml(spec)) << name;
  }
}

TEST(Generate, WritesAllPlatformsThatAreShipped) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LAYERPIPE_SOURCE_DIR "/platforms")) {
    if (entry.path().extension() != ".xml") continue;
    ++files;
    EXPECT_TRUE(shipped_specs().contains(entry.path().stem().string())) << entry.path();
  }
  EXPECT_EQ(files, 42U);  // 5 x 4 x 2, and the 2 with three processors
}

TEST(Generate, SaysWithWhichOptions) {
  EXPECT_THAT(platform_xml(spec(3, 32, Topology::chain)),
              HasSubstr("processors 3 / array 32x32 / clock 1GHz / bandwidth 64GB/s / "
                        "latency 100ns / topology chain"));
  EXPECT_THAT(platform_xml(spec(3, 32, Topology::chain)), Not(HasSubstr("dataflow output")));

  PlatformSpec other = spec(3, 32, Topology::crossbar);
  other.array.weight_gradient_dataflow = Dataflow::output_stationary;
  other.array.input_gradient = network::InputGradientMapping::gemm;
  EXPECT_THAT(platform_xml(other), HasSubstr("weight-gradient-dataflow output-stationary"));
  EXPECT_THAT(platform_xml(other), HasSubstr("input-gradient gemm"));
}

TEST(Generate, PassesTheCheckOfPlatformFiles) {
  PlatformSpec written = spec(12, 16, Topology::chain);
  written.array = {16, 8, Dataflow::input_stationary, Dataflow::output_stationary,
                   network::InputGradientMapping::gemm};
  for (const Topology topology : {Topology::chain, Topology::crossbar}) {
    written.topology = topology;
    const PlatformFile file = check_platform(platform_xml(written), "test.xml");
    EXPECT_EQ(file.array, written.array);
    EXPECT_EQ(file.hosts.size(), 12U);
    EXPECT_TRUE(file.hosts.contains("p0") && file.hosts.contains("p11"));
  }
}

TEST(Generate, WritesQuantitiesInTheLargestUnit) {
  PlatformSpec odd = spec(2, 32, Topology::crossbar);
  odd.clock_hertz = 940e6;
  odd.link_bytes_per_second = 1.5e12;
  odd.link_latency_seconds = 2.5e-6;
  EXPECT_THAT(platform_xml(odd), HasSubstr("speed=\"940Mf\" bw=\"1.5TBps\" lat=\"2.5us\""));
  odd.clock_hertz = 12345.0;
  odd.link_bytes_per_second = 0.5;
  odd.link_latency_seconds = 0.0;
  EXPECT_THAT(platform_xml(odd), HasSubstr("speed=\"12.345kf\" bw=\"0.5Bps\" lat=\"0s\""));
}

TEST(Generate, RefusesBadValues) {
  const auto refused = [](auto change) {
    PlatformSpec bad = spec(3, 32, Topology::crossbar);
    change(bad);
    EXPECT_THROW(static_cast<void>(platform_xml(bad)), UsageError);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
  refused([](PlatformSpec& s) { s.processors = 0; });
  refused([](PlatformSpec& s) { s.processors = 65'537; });
  refused([](PlatformSpec& s) { s.array.rows = 0; });
  refused([](PlatformSpec& s) { s.array.cols = -1; });
  for (const double bad : {0.0, -1.0, infinity, no_number}) {
    refused([=](PlatformSpec& s) { s.clock_hertz = bad; });
    refused([=](PlatformSpec& s) { s.link_bytes_per_second = bad; });
  }
  for (const double bad : {-1e-9, infinity, no_number}) {
    refused([=](PlatformSpec& s) { s.link_latency_seconds = bad; });
  }
}

}  // namespace
}  // namespace layerpipe::file
