#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

// Options that count instead of what the platform says.
namespace layerpipe::tests {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const std::string sample = "workloads/sample4.yaml";

std::string output(const std::vector<std::string>& arguments) {
  const Answer answer = run_program(arguments);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return answer.out;
}

std::vector<std::string> joined(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> machine{"--array",   "16x64", "--dataflow",  "os",
                                       "--clock",   "2 GHz", "--bandwidth", "3 GB/s",
                                       "--latency", "70 ns"};

/// What both have in common: not the platform's name, nor that anything was overridden.
Json without_origin(const std::string& text) {
  Json json = Json::parse(text);
  json.erase("platform");
  json.erase("provenance");
  json.at("options").erase("instead_of_platform");
  return json;
}

// A platform that was written with these values is the same machine.
TEST(MachineOptions, AreAsIfThePlatformSaidSo) {
  for (const char* topology : {"crossbar", "chain"}) {
    const std::string path = temporary_path("same.xml");
    static_cast<void>(
        output(joined({"platform", "--topology", topology, "--output", path}, machine)));
    const std::string other =
        std::string("three-32x32") + (std::string(topology) == "chain" ? "-chain" : "");
    for (const char* command : {"simulate", "theory", "profile", "schedule"}) {
      const std::vector<std::string> words{command, other, sample, "--format", "json"};
      EXPECT_EQ(without_origin(output(joined(words, machine))),
                without_origin(output({command, path, sample, "--format", "json"})))
          << command << ' ' << topology;
    }
    std::remove(path.c_str());
  }
}

TEST(MachineOptions, AreSaidInReports) {
  for (const char* command : {"simulate", "compare", "theory", "profile", "schedule"}) {
    EXPECT_THAT(output(joined({command, "three-32x32", sample}, machine)),
                HasSubstr("Instead of the platform's: array 16x64, dataflow output-stationary, "
                          "clock 2 GHz, link bandwidth 3.0 GB/s, link latency 70.0 ns\n"))
        << command;
    EXPECT_THAT(output({command, "three-32x32", sample}),
                testing::Not(HasSubstr("Instead of the platform's")));
  }
  const Json options = Json::parse(
      output(joined({"simulate", "three-32x32", sample, "--format", "json"}, machine)))["options"];
  EXPECT_EQ(options["instead_of_platform"],
            Json::parse(R"({"array": "16x64", "dataflow": "output-stationary",
                            "clock_hertz": 2e9, "link_bytes_per_second": 3e9,
                            "link_latency_seconds": 7e-8})"));
  EXPECT_EQ(options["dataflow"], "output-stationary");
  EXPECT_EQ(options["clock_hertz"], 2e9);
}

/// Two layers with given costs, on processors of which nothing is said but their clock.
class Measured : public testing::Test {
 protected:
  Measured() {
    std::ofstream(workload_)
        << "layers:\n"
           "  - {type: measured, forward: 1 cycle, input_gradient: 20 cycles,"
           " weight_gradient: 30 cycles, activation: 8 B, weight: 8 B}\n"
           "  - {type: measured, forward: 10 cycles, input_gradient: 20 cycles,"
           " weight_gradient: 30 cycles, activation: 8 B, weight: 8 B}\n";
    std::ofstream(platform_) << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
                                "<host id=\"p0\" speed=\"1Gf\"/></zone></platform>\n";
  }
  ~Measured() override {
    std::remove(workload_.c_str());
    std::remove(platform_.c_str());
  }

  const std::string workload_ = temporary_path("measured.yaml");
  const std::string platform_ = temporary_path("no-array.xml");
};

TEST_F(Measured, NeedNoArray) {
  const Json result = Json::parse(output({"simulate", platform_, workload_, "--format", "json"}));
  EXPECT_EQ(result["steady_state"]["period_cycles"], 1 + 30 + 10 + 20 + 30);
  EXPECT_TRUE(result["options"]["array"].is_null());
  for (const char* command : {"simulate", "compare", "theory", "profile", "schedule"}) {
    EXPECT_THAT(output({command, platform_, workload_}), HasSubstr("unknown size")) << command;
  }
  EXPECT_THAT(output({"check", platform_}), HasSubstr("1 processor of unknown size at 1 GHz"));
}

TEST_F(Measured, TakeAnyArray) {
  const auto period = [&](const std::vector<std::string>& more) {
    return Json::parse(output(
        joined({"simulate", "three-32x32", workload_, "--processors", "1", "--format", "json"},
               more)))["steady_state"]["period_cycles"];
  };
  EXPECT_EQ(period({"--array", "4x4"}), period({}));
}

TEST_F(Measured, OtherLayersNeedOne) {
  const Answer answer = run_program({"simulate", platform_, sample});
  EXPECT_EQ(answer.exit_code, 4);
  EXPECT_THAT(answer.err, HasSubstr("takes cycles by the size of the array, which the platform "
                                    "does not give (expected the properties rows and cols there, "
                                    "or --array)\n"));
  EXPECT_EQ(run_program({"simulate", platform_, sample, "--array", "8x8"}).exit_code, 0);
}

TEST(MachineOptions, ShortNamesOfDataflowsAreReadAndNotWritten) {
  EXPECT_EQ(output({"platform", "--dataflow", "is", "--weight-gradient-dataflow", "os"}),
            output({"platform", "--dataflow", "input-stationary", "--weight-gradient-dataflow",
                    "output-stationary"}));
}

// Fractions of a cycle a second, or of a byte, are printed as 0 or inf.
TEST(MachineOptions, RefuseWhatCannotBePrinted) {
  for (const auto& [option, value, message] :
       {std::tuple{"--clock", "0.5 Hz", "'0.5 Hz' is below 1 Hz"},
        std::tuple{"--bandwidth", "0.001 B/s", "'0.001 B/s' is below 1 B/s"}}) {
    const Answer answer = run_program({"simulate", "three-32x32", sample, option, value});
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_THAT(answer.err, HasSubstr(message));
  }
}

// The slowest, the fastest and the longest that is legal: a report without inf, or one line.
TEST(MachineOptions, ExtremesAreReportedOrRefused) {
  for (const std::vector<std::string>& extreme :
       {std::vector<std::string>{"--clock", "1 Hz"},
        {"--clock", "1000000000 GHz"},
        {"--bandwidth", "1 B/s"},
        {"--bandwidth", "1000000 TB/s"},
        {"--latency", "1000000000 s"},
        {"--latency", "0.000000001 ns"},
        {"--clock", "1 Hz", "--bandwidth", "1000000 TB/s"}}) {
    const Answer answer = run_program(joined(
        {"simulate", "three-32x32", sample, "--iterations", "5", "--format", "json"}, extreme));
    SCOPED_TRACE(extreme[0] + ' ' + extreme[1]);
    if (answer.exit_code == 0) {
      EXPECT_GT(Json::parse(answer.out)["steady_state"]["period_cycles"], 0.0);
      EXPECT_GT(Json::parse(answer.out)["steady_state"]["samples_per_second"], 0.0);
      EXPECT_THAT(answer.out, testing::Not(HasSubstr("inf")));
    } else {
      EXPECT_EQ(answer.exit_code, 4) << answer.err;
    }
  }
}

}  // namespace
}  // namespace layerpipe::tests
