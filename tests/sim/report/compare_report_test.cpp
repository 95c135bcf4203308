#include "sim/report/compare_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_result.hpp"

namespace layerpipe::report {
namespace {

using namespace metrics;

using testing::HasSubstr;
using testing::Not;

/// The sample, and a run of twice its period that is not exact.
CompareReport sample_report() {
  Result slow = tests::sample_result();
  slow.schedule = "slow";
  slow.steady_state = {false, 200.0, 2e-7,    0,       3,
                       2e7,   4,     0.00123, "limit", Latency{500.0, 480, 530}};
  return CompareReport({slow, tests::sample_result()});
}

// Stalled: utilizations of 90 % and 60 % leave 50 % of 200 %.
TEST(CompareReport, HasARowPerScheduleAndSaysWhichPeriodIsNotExact) {
  EXPECT_EQ(
      sample_report().text(),
      "net, batch 4, on lab: 3 processors of 32x32 at 1 GHz, iterations: 8\n"
      "\n"
      "                                                             Slowest            Sent a    "
      "             Peak\n"
      "Schedule   Period  Speed-up    Throughput   Latency  Used  processor  Stale  minibatch    "
      "           memory  Stalled\n"
      "           cycles               samples/s                     cycles   most  mandatory  "
      "additional  fullest        %\n"
      "---------  ------  --------  ------------  --------  ----  ---------  -----  ---------  "
      "----------  -------  -------\n"
      "slow         ~200      1.00  20,000,000.0  500.0 ns     2         90      2     4.0 kB   "
      "   1.7 kB   4.1 kB     25.0\n"
      "layerpipe     100      2.00  40,000,000.0  250.0 ns     2         90      2     4.0 kB   "
      "   1.7 kB   4.1 kB     25.0\n"
      "~ slow: not exact: at most 0.13 % off, the mean over minibatches 3 to 6; a longer run "
      "(--iterations) knows it better\n");
}

// Speed-up is the ratio of periods: 200 / 100.
TEST(CompareReport, JsonAddsTheSpeedupOverTheFirst) {
  const nlohmann::ordered_json json = sample_report().json();
  ASSERT_EQ(json["schedules"].size(), 2U);
  EXPECT_EQ(json["schedules"][0]["speedup"], 1.0);
  EXPECT_EQ(json["schedules"][1]["speedup"], 2.0);
  EXPECT_EQ(json["schedules"][1]["schedule"], "layerpipe");
  EXPECT_EQ(json["schedules"][1]["fullest_processor_peak_memory_bytes"], 4100);
}

TEST(CompareReport, CsvHasARowPerSchedule) {
  EXPECT_EQ(
      sample_report().csv(),
      "schedule,period_cycles,period_seconds,exact,samples_per_second,speedup,"
      "processors_used,slowest_processor_cycles,makespan_cycles,"
      "mandatory_bytes_per_minibatch,additional_weights_bytes_per_minibatch,"
      "additional_gradients_bytes_per_minibatch,stalled_fraction,iterations,iterations_requested,"
      "greatest_staleness,fullest_processor_peak_memory_bytes,relative_error_bound,"
      "latency_mean_cycles,latency_least_cycles,latency_most_cycles\n"
      "slow,200,2e-07,false,20000000,1,2,90,1000,4000,200,1500,0.25,8,8,2,4100,0.00123,500,480,"
      "530\n"
      "layerpipe,100,1e-07,true,40000000,2,2,90,1000,4000,200,1500,0.25,8,8,2,4100,0,250,240,"
      "260\n");
}

TEST(CompareReport, SaysWhyThereIsNoLatency) {
  Result without = tests::sample_result();
  without.schedule = "short";
  without.steady_state.latency.reset();
  EXPECT_THAT(CompareReport({without, tests::sample_result()}).text(),
              testing::EndsWith("\n- short: latency not known: too few minibatches have begun and "
                                "ended in the steady state (more --iterations)\n"));
}

TEST(CompareReport, SaysThatALatencyGrows) {
  Result growing = tests::sample_result();
  growing.steady_state.exact = false;
  growing.steady_state.latency.reset();
  growing.steady_state.latency_growth = {300.0, 700.0};
  EXPECT_THAT(CompareReport({growing}).text(),
              testing::EndsWith("\n- layerpipe: latency grew throughout the run, from 300 to 700 "
                                "cycles: a part of the network gets ahead of the rest\n"));
}

TEST(CompareReport, SaysThatRunsMayHaveStoppedEarly) {
  Result result = tests::sample_result();
  result.iterations_requested = 200;
  EXPECT_THAT(CompareReport({result}).text(), HasSubstr(", iterations: 200 at most\n"));
  EXPECT_THAT(CompareReport({result}).csv(), HasSubstr(",8,200,2,4100,"));
}

/// The sample, placed by a file.
Result placed_result() {
  Result placed = tests::sample_result();
  placed.options["allocation"] = "some/where/edited.json";
  placed.steady_state.exact = false;
  return placed;
}

TEST(CompareReport, NamesARowAfterTheFileThatPlacedTheLayers) {
  const CompareReport report({tests::sample_result(), placed_result()});
  EXPECT_THAT(report.text(), HasSubstr("\nedited.json    ~100 "));
  EXPECT_THAT(report.text(), HasSubstr("\n~ edited.json: not exact"));
  EXPECT_THAT(report.csv(), HasSubstr("\nedited.json,100,"));
  EXPECT_EQ(report.json()["schedules"][1]["schedule"], "layerpipe");
}

/// The sample with `delays` in force.
Result delayed_result(const nlohmann::ordered_json& delays) {
  Result delayed = tests::sample_result();
  delayed.options["delays"] = delays;
  return delayed;
}

TEST(CompareReport, NamesDelaysThatAreNotTheSchedulesOwn) {
  Result searched = delayed_result({2, 1, 1, 0});
  nlohmann::ordered_json& search = searched.options["auto_delays"];
  search = {{"ratio_delays", {1, 1, 0, 0}}, {"slowest_processor_cycles", 90},
            {"period_cycles", 100.5},       {"period_cycles_with_2S", 100.5},
            {"simulated", nullptr},         {"reaches_bound", false},
            {"has_shared_links", false},    {"exact", false}};
  const CompareReport report({delayed_result(nullptr), delayed_result("2S"), delayed_result("S"),
                              delayed_result({3, 3, 1, 0}), searched});
  for (const char* line :
       {"\nlayerpipe  ", "\nlayerpipe, delays S  ", "\nlayerpipe, delays 3,3,1,0  ",
        "\nlayerpipe, delays auto  ",
        "\nDelays found for layerpipe: 2,1,1,0; least by the cycle ratio alone: 1,1,0,0\n",
        "\nEven with 2S the period, in the minibatches searched, is 100.5 "
        "cycles, above the slowest processor's 90.\n",
        "\nThe search compared means of short runs, not exact periods: "}) {
    EXPECT_THAT(report.text(), HasSubstr(line));
  }
  EXPECT_THAT(report.csv(), HasSubstr("\n\"layerpipe, delays S\",100,"));
}

// Options of all rows that are not at their defaults, which are an alpha of 1.001 and no limits.
TEST(CompareReport, NamesOptionsThatAllRowsHave) {
  Result result = tests::sample_result();
  EXPECT_THAT(CompareReport({result, result}).text(), Not(HasSubstr("Options")));
  result.options["split"] = "batch";
  result.options["alpha"] = 1.5;
  result.options["max_lent_bytes"] = 5'000'000;
  result.options["first_input_gradient"] = true;
  EXPECT_THAT(CompareReport({result, result}).text(),
              HasSubstr("iterations: 8\nOptions: alpha 1.5, split batch, first input gradient "
                        "computed, max lent bytes 5.0 MB\n\n"));
  EXPECT_THAT(CompareReport({result, tests::sample_result()}).text(), Not(HasSubstr("Options")));
}

TEST(CompareReport, SaysWhatSimulationsSayOfDelays) {
  Result searched = delayed_result({2, 1, 1, 0});
  nlohmann::ordered_json& search = searched.options["auto_delays"];
  search = {
      {"ratio_delays", {1, 1, 0, 0}},
      {"slowest_processor_cycles", 90},
      {"period_cycles", 90.0},
      {"period_cycles_with_2S", 90.0},
      {"simulated", {{"period_cycles", 95.0}, {"period_cycles_with_2S", 95.5}, {"raised", 2}}},
      {"reaches_bound", false},
      {"has_shared_links", true},
      {"exact", true}};
  const std::string raised = CompareReport({searched}).text();
  EXPECT_THAT(raised, HasSubstr("\nSimulated, the period was longer than with 2S until all delays "
                                "were raised by 2, up to 2S.\n"));
  EXPECT_THAT(raised, HasSubstr("\nEven with 2S the period, in the minibatches searched, is 95.5 "
                                "cycles, above the slowest processor's 90.\n"));
  search["simulated"]["raised"] = 0;
  EXPECT_THAT(CompareReport({searched}).text(),
              HasSubstr("\nSimulated, the period is as good as with 2S.\n"));
}

}  // namespace
}  // namespace layerpipe::report
