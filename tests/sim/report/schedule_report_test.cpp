#include "sim/report/schedule_report.hpp"

#include <gtest/gtest.h>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/two_layer_schedule.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::report {
namespace {

ScheduleReport sample_report(std::optional<double> target = 35.0) {
  return {tests::test_machine(3),
          "net",
          tests::two_layer_profile(),
          {tests::two_layer_schedule(), target},
          {{"batch", 4}, {"array", "32x32"}}};
}

// Processor 0 has 10 + 20 + 5 cycles, processor 1 has 12 + 15 + 7. The lent quarter of 64 bytes
// is 16.
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
            "Lent input gradient   Whole    Kept    Lent  Extra     Sent      Lent\n"
            "                     cycles  cycles  cycles      %  weights  gradient\n"
            "-------------------  ------  ------  ------  -----  -------  --------\n"
            "b                        20      15       5    0.0      0 B      16 B\n"
            "\n"
            "Sent per minibatch: 64 B mandatory; additional: 0 B weights, 0 B gradients\n"
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

// Layers of 3, 5, 7 and 1 linear features, batch 2, on 32 x 32 arrays, weight-stationary: one fold
// of 94 + T cycles. Sample 2 of layer two is lent: 95 + 95 cycles for 96, all 5 x 7 x 4 bytes of
// weights, and half of 2 x 5 x 4 bytes of the gradient.
TEST(ScheduleReport, SaysWhatLendingCosts) {
  const machine::Machine machine = tests::test_machine(2);
  const network::Network network = read::parse_network(
      "name: net\nbatch: 2\ninput: {features: 3}\nlayers:\n"
      "  - {name: one, type: linear, out_features: 5}\n"
      "  - {name: two, type: linear, out_features: 7, bias: false}\n"
      "  - {name: three, type: linear, out_features: 1}\n",
      "net.yaml");
  const costs::Profile profile = costs::profile(machine, network);
  const placement::Allocation allocation{{{0}, {0, {{1, 0.5, 95}}}, {1}}, costs::Split::batch};
  const ScheduleReport report(
      machine, "net", profile,
      {discipline::layerpipe_schedule("test", profile, allocation, 2), std::nullopt},
      {{"batch", 2}});
  EXPECT_EQ(report.json()["lent_input_gradients"].dump(),
            R"([{"layer":"two","units":2,"lent_units":1,"whole_cycles":96,"kept_cycles":95,)"
            R"("lent_cycles":95,"extra_cycles":94,"lent_weight_bytes":140,)"
            R"("lent_gradient_bytes":20}])");
  EXPECT_EQ(report.json()["split_obstacles"].dump(), "[]");
  EXPECT_NE(report.text().find("Lent input gradient    Whole     Lent   Whole    Kept    Lent  "
                               "Extra     Sent      Lent\n"
                               "                     samples  samples  cycles  cycles  cycles      "
                               "%  weights  gradient\n"
                               "-------------------  -------  -------  ------  ------  ------  "
                               "-----  -------  --------\n"
                               "two                        2        1      96      95      95   "
                               "97.9    140 B      20 B\n"),
            std::string::npos)
      << report.text();
}

TEST(ScheduleReport, NamesWhatIsNoUseToSplit) {
  const machine::Machine machine = tests::test_machine(1);
  const network::Network network = read::parse_network(
      "name: net\nbatch: 1\ninput: {features: 3}\nlayers:\n"
      "  - {name: one, type: linear, out_features: 5}\n"
      "  - {name: two, type: linear, out_features: 7}\n"
      "  - {name: three, type: linear, out_features: 1}\n",
      "net.yaml");
  const costs::Profile profile = costs::profile(machine, network);
  const placement::Allocation allocation{{{0}, {0}, {0}}, costs::Split::batch};
  const ScheduleReport report(
      machine, "net", profile,
      {discipline::layerpipe_schedule("test", profile, allocation, 1), std::nullopt},
      {{"batch", 2}});
  EXPECT_EQ(report.json()["split_obstacles"].dump(),
            R"([{"layer":"two","reason":"there is 1 sample"}])");
  EXPECT_TRUE(report.text().ends_with("\nNo use in splitting two: there is 1 sample\n"));
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
}  // namespace layerpipe::report
