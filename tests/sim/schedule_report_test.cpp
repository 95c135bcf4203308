#include "sim/report/schedule_report.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_machine.hpp"
#include "tests/support/two_layer_schedule.hpp"

namespace layerpipe::sim {
namespace {

ScheduleReport sample_report(std::optional<double> target = 35.0) {
  return {tests::test_machine(3),
          "net",
          {tests::two_layer_schedule(), target},
          {{"batch", 4}, {"array", "32x32"}}};
}

// Processor 0 has 10 + 20 + 5 cycles, processor 1 has 12 + 15 + 7.
TEST(ScheduleReport, ListsOperationsByProcessorThenLayerThenKind) {
  EXPECT_EQ(sample_report().text(),
            "Schedule test of net, batch 4, on test machine: 3 processors of 32x32\n"
            "\n"
            "Processor  Layer  Operation        Fraction  Operation  Processor\n"
            "                                                cycles     cycles\n"
            "---------  -----  ---------------  --------  ---------  ---------\n"
            "p0         a      forward             1.000         10         35\n"
            "           a      weight_gradient     1.000         20\n"
            "           b      input_gradient      0.250          5\n"
            "p1         b      forward             1.000         12         34\n"
            "           b      input_gradient      0.750         15\n"
            "           b      weight_gradient     1.000          7\n"
            "p2         -      idle                                          0\n"
            "\n"
            "Slowest processor: p0, 35 cycles per minibatch\n"
            "Target T_p: 35 cycles per minibatch\n");
}

TEST(ScheduleReport, JsonListsIdleProcessorsToo) {
  const nlohmann::ordered_json json = sample_report().json();
  EXPECT_EQ(json["target_cycles"], 35.0);
  EXPECT_EQ(json["slowest_processor_cycles"], 35);
  ASSERT_EQ(json["processors"].size(), 3U);
  EXPECT_EQ(json["processors"][1].dump(),
            R"({"name":"p1","operations":[)"
            R"({"operation":"forward","layer":"b","fraction":1.0,"cycles":12},)"
            R"({"operation":"input_gradient","layer":"b","fraction":0.75,"cycles":15},)"
            R"({"operation":"weight_gradient","layer":"b","fraction":1.0,"cycles":7}],)"
            R"("total_cycles":34})");
  EXPECT_EQ(json["processors"][2].dump(), R"({"name":"p2","operations":[],"total_cycles":0})");
}

TEST(ScheduleReport, HasNoTargetWhereTheSchedulerHasNone) {
  EXPECT_TRUE(sample_report(std::nullopt).json()["target_cycles"].is_null());
  EXPECT_EQ(sample_report(std::nullopt).text().find("Target"), std::string::npos);
}

TEST(ScheduleReport, CsvHasARowPerOperation) {
  EXPECT_EQ(sample_report().csv(),
            "processor,operation,layer,fraction,cycles\n"
            "p0,forward,a,1,10\n"
            "p0,weight_gradient,a,1,20\n"
            "p0,input_gradient,b,0.25,5\n"
            "p1,forward,b,1,12\n"
            "p1,input_gradient,b,0.75,15\n"
            "p1,weight_gradient,b,1,7\n");
}

}  // namespace
}  // namespace layerpipe::sim
