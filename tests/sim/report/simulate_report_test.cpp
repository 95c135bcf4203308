#include "sim/report/simulate_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/metrics/result_json.hpp"
#include "tests/support/sample_result.hpp"

namespace layerpipe::report {
namespace {

using namespace metrics;
using namespace process;

using testing::HasSubstr;
using testing::Not;

// Shares by hand from the sample: p0 stalls 280 and p1 520 of 1000 cycles each, so 800 of 2000;
// period 100 against a bound of 90 is 111.1 %; 150 cycles on one processor are 1.50 periods.
TEST(SimulateReport, EndsInTheVerdict) {
  EXPECT_EQ(
      SimulateReport(tests::sample_result()).text(),
      "net, batch 4, on lab: 2 of 3 processors used, each of 32x32 at 1 GHz\n"
      "Schedule layerpipe, iterations: 8\n"
      "Idle: p2 (the placement of layerpipe leaves them out)\n"
      "\n"
      "Processor  Layers  Utilization  Busy/minibatch      Fill  Activation  Gradient   Channel"
      "     Drain\n"
      "                             %          cycles  % of run    % of run  % of run  % of run"
      "  % of run\n"
      "---------  ------  -----------  --------------  --------  ----------  --------  --------"
      "  --------\n"
      "p0         a..c           90.0              90       0.0         8.0       0.0      15.0"
      "       5.0\n"
      "p1         d              60.0              60      10.0        20.0       2.0      10.0"
      "      10.0\n"
      "p2         -               0.0               0       0.0         0.0       0.0       0.0"
      "     100.0\n"
      "\n"
      "Peak memory  Weights  Activations  Gradients  Queued        Total\n"
      "                                                      at one date\n"
      "-----------  -------  -----------  ---------  ------  -----------\n"
      "p0             400 B       3.0 kB     1.0 kB     0 B       4.1 kB\n"
      "p1             100 B        500 B      600 B    50 B       1.2 kB\n"
      "p2               0 B          0 B        0 B     0 B          0 B\n"
      "\n"
      "Sent per minibatch: 4.0 kB mandatory; additional: 200 B weights, 1.5 kB gradients\n"
      "\n"
      "Busiest           Sent/minibatch  Busy\n"
      "                                     %\n"
      "----------------  --------------  ----\n"
      "channel p1 -> p0          2.7 kB  50.0\n"
      "channel p0 -> p1          3.0 kB  25.0\n"
      "link down                 2.7 kB  40.0\n"
      "link up                   3.0 kB  12.5\n"
      "\n"
      "Period      100 cycles (100.0 ns), 111.1 % of the bound, the slowest processor's 90\n"
      "Throughput  40,000,000.0 samples/s, 1.50 times one processor\n"
      "Latency     250 cycles (250.0 ns) a minibatch, 240 to 260\n"
      "Bound by    waiting; main cause of stalls: activation; busiest: processor p0, 90.0 % busy\n"
      "Stalled     40.0 % of the run on the processors used (fill 5.0 %, activation 14.0 %, "
      "gradient 1.0 %, channel 12.5 %, drain 7.5 %)\n");
}

TEST(SimulateReport, SaysThatThePeriodIsAMeanAndHowFarItMayBeOff) {
  Result result = tests::sample_result();
  EXPECT_THAT(SimulateReport(result).text(), Not(HasSubstr("not exact")));
  result.steady_state.exact = false;
  result.steady_state.first_minibatch = 1000;
  result.steady_state.mean_over_minibatches = 1024;
  result.steady_state.outcome = "within_tolerance";
  result.steady_state.relative_error_bound = 0.000843;
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr(" not exact: at most 0.085 % off, the mean over minibatches 1,000 to "
                        "2,023\n"));
  result.steady_state.outcome = "limit";
  result.steady_state.relative_error_bound = 0.0051;
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr("not exact: at most 0.51 % off, the mean over minibatches 1,000 to 2,023; "
                        "a longer run (--iterations) knows it better\n"));
  result.steady_state.relative_error_bound.reset();
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr("not exact, and without a bound: the mean over minibatches 1,000 to 2,023, "
                        "of a run too short or not settled; a longer one (--iterations) may "
                        "differ\n"));
}

TEST(SimulateReport, LatenciesThatAreAllEqualAreNoRange) {
  Result result = tests::sample_result();
  result.steady_state.latency = Latency{300.0, 300, 300};
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr("\nLatency     300 cycles (300.0 ns) a minibatch\n"));
}

// Two stages have up to 2 * 1 + 1 minibatches in flight.
TEST(SimulateReport, SaysThatAShortRunIsNotSteady) {
  Result result = tests::sample_result();
  result.steady_state.exact = false;
  result.iterations = 3;
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr("not steady: a run of 3 minibatches only fills the pipeline and drains it, "
                        "the period is a mean over that; use --iterations above 3"));
  result.iterations = 1;
  EXPECT_THAT(SimulateReport(result).text(), HasSubstr("a run of 1 minibatch only fills"));
  result.iterations = 4;
  EXPECT_THAT(SimulateReport(result).text(), HasSubstr("not exact"));
}

TEST(SimulateReport, SaysThatTheRunStoppedEarly) {
  Result result = tests::sample_result();
  result.iterations_requested = 200;
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr("\nSchedule layerpipe, iterations: 8 of 200 at most\n"));
}

TEST(SimulateReport, NamesALinkThatIsAlwaysBusy) {
  Result result = tests::sample_result();
  result.links[0].busy_fraction = 1.0;
  EXPECT_THAT(SimulateReport(result).text(), HasSubstr("Bound by    link up, 100.0 % busy\n"));
}

TEST(SimulateReport, SaysThatThereAreNotEnoughLayers) {
  Result result = tests::sample_result();
  result.processors[0].layers = {"a"};
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr("Idle: p2 (the network has no more than 2 layers to distribute)\n"));
}

TEST(SimulateReport, JsonIsTheResult) {
  EXPECT_EQ(SimulateReport(tests::sample_result()).json(), to_json(tests::sample_result()));
}

TEST(SimulateReport, CsvHasARowPerProcessor) {
  EXPECT_EQ(
      SimulateReport(tests::sample_result()).csv(),
      "processor,layers,busy_cycles,busy_cycles_per_minibatch,utilization,stall_fill_cycles,"
      "stall_activation_cycles,stall_gradient_cycles,stall_weights_cycles,"
      "stall_weight_version_cycles,stall_channel_cycles,stall_sharing_cycles,stall_drain_cycles,"
      "peak_memory_weights_bytes,peak_memory_activations_bytes,"
      "peak_memory_gradients_bytes,peak_memory_queued_bytes,peak_memory_total_bytes\n"
      "p0,a;b;c,720,90,0.9,0,80,0,0,0,150,0,50,400,3000,1000,0,4100\n"
      "p1,d,480,60,0.6,100,200,20,0,0,100,0,100,100,500,600,50,1200\n"
      "p2,,0,0,0,0,0,0,0,0,0,0,1000,0,0,0,0,0\n");
}

TEST(SimulateReport, NamesTheFileThatPlacedTheLayers) {
  Result result = tests::sample_result();
  result.options["allocation"] = "some/where/edit\xFF.json";
  EXPECT_THAT(SimulateReport(result).text(),
              HasSubstr("\nSchedule layerpipe placed by edit?.json, iterations: 8\n"
                        "Idle: p2 (the placement of edit?.json leaves them out)\n"));
}

}  // namespace
}  // namespace layerpipe::report
