#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Answer simulate(std::vector<std::string> options) {
  std::vector<std::string> arguments{"simulate", "platforms/three-32x32.xml",
                                     "workloads/sample4.yaml"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_program(arguments);
}

// Reference figures R4: the simulated period is the slowest processor's 32007170 cycles; all
// operations of the network are 96021510.
TEST(Simulate, EndsInAVerdict) {
  const Answer answer = simulate({});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.err, "");
  EXPECT_THAT(answer.out, StartsWith("sample4, batch 32, on three-32x32: 3 of 3 processors used"));
  EXPECT_THAT(answer.out,
              HasSubstr("\nPeriod      32,007,170 cycles (32.0 ms), 100.0 % of the bound"));
  EXPECT_THAT(answer.out, HasSubstr(" samples/s, 3.00 times one processor\n"));
}

TEST(Simulate, ReportsTheSameByteForByte) {
  EXPECT_EQ(simulate({"--format", "json"}).out, simulate({"--format", "json"}).out);
}

TEST(Simulate, AccountsForEveryCycle) {
  const nlohmann::json json = nlohmann::json::parse(simulate({"--format", "json"}).out);
  for (const auto& processor : json["processors"]) {
    std::int64_t cycles = processor["busy_cycles"];
    for (const auto& stall : processor["stall_cycles"]) cycles += stall.get<std::int64_t>();
    EXPECT_EQ(cycles, json["makespan_cycles"]) << processor["name"];
  }
}

TEST(Simulate, SaysWhichOptionsWereInForce) {
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(
      simulate({"--format", "json", "--iterations", "20", "--max-lent-bytes", "1 GB"}).out);
  EXPECT_EQ(json["options"].dump(),
            R"({"schedule":"layerpipe","iterations":20,"processors":3,"batch":32,)"
            R"("array":"32x32","alpha":1.001,"objective":"communication",)"
            R"("first_input_gradient":false,"max_lent_weight_bytes":null,)"
            R"("max_lent_bytes":1000000000,"dataflow":"weight-stationary",)"
            R"("weight_gradient_dataflow":"weight-stationary","input_gradient":"convolution"})");
}

// Reference figures R4: 43434336 / 32007170 = 1.357.
TEST(Compare, PutsSchedulesSideBySide) {
  const Answer answer =
      run_program({"compare", "platforms/three-32x32.xml", "workloads/sample4.yaml", "--schedules",
                   "pipedream,layerpipe", "--format", "json"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  const nlohmann::json schedules = nlohmann::json::parse(answer.out)["schedules"];
  ASSERT_EQ(schedules.size(), 2U);
  EXPECT_EQ(schedules[0]["speedup"], 1.0);
  EXPECT_NEAR(schedules[1]["speedup"], 43434336.0 / 32007170.0, 1e-9);
}

}  // namespace
}  // namespace layerpipe::tests
