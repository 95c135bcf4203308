#include "sim/trace/picture/chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/sample_result.hpp"
#include "tests/support/small_trace.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::trace {
namespace {

using namespace events;
using namespace metrics;
using namespace process;

using testing::HasSubstr;

Chart small_chart() {
  const machine::Machine machine = tests::test_machine(3);
  const contract::Schedule schedule = tests::two_layer_schedule();
  const Channels channels = used_channels(machine, schedule);
  ChartRecorder recorder({machine, schedule, channels});
  tests::tell_small_run(recorder);
  return recorder.chart();
}

// The third processor executes nothing.
TEST(Chart, HasALineForEachProcessorThatIsUsedAndEachChannel) {
  const Chart chart = small_chart();
  ASSERT_EQ(chart.lines.size(), 4U);
  EXPECT_EQ(chart.lines[0].name, "p0");
  EXPECT_EQ(chart.lines[0].note, "a..c");
  EXPECT_EQ(chart.lines[1].name, "p1");
  EXPECT_EQ(chart.lines[2].name, "p0 -> p1");
  EXPECT_TRUE(chart.lines[2].is_channel);
  EXPECT_EQ(chart.lines[3].name, "p1 -> p0");
}

// Slices: as tell_small_run says.
TEST(Chart, HasABarForEachSlice) {
  const Chart chart = small_chart();
  std::string bars;
  for (const Chart::Bar& bar : chart.bars) {
    bars += std::to_string(bar.line) + ": " + chart.looks[bar.look].details + ", " +
            std::to_string(bar.start) + " to " + std::to_string(bar.end) + "\n";
  }
  EXPECT_EQ(bars,
            "0: FP a, 0 to 10\n"
            "2: mandatory activation a, 64 bytes, 10 to 11\n"
            "1: idle, stall fill, 0 to 11\n"
            "1: FP b, 11 to 23\n"
            "0: idle, stall drain, 10 to 23\n");
}

TEST(Chart, SaysWhatItIsOf) {
  const Chart chart = small_chart();
  EXPECT_EQ(chart.subject, "net, batch 4, on lab: 3 processors of 32x32 at 1 GHz");
  EXPECT_EQ(chart.schedule, "layerpipe");
  EXPECT_EQ(chart.parameters, "period 100 cycles (100.0 ns), 40,000,000.0 samples/s");
  EXPECT_EQ(chart.period_cycles, 100.0);
  EXPECT_EQ(chart.span.end, 23);
}

TEST(Chart, IsTheSameAfterItsWayThroughJson) {
  const Chart chart = small_chart();
  const nlohmann::json json = to_json(chart);
  EXPECT_EQ(to_json(chart_from_json(nlohmann::json::parse(json.dump()))), json);
  EXPECT_EQ(json.at("bars").size(), 5U);
}

// 2000 operations: 400 minibatches of the five operations of the schedule.
TEST(Chart, RefusesTooManyMinibatchesBeforeTheRun) {
  const contract::Schedule schedule = tests::two_layer_schedule();
  EXPECT_NO_THROW(require_room_in_chart(schedule, 400));
  try {
    require_room_in_chart(schedule, 401);
    FAIL();
  } catch (const InfeasibleError& error) {
    EXPECT_STREQ(
        error.what(),
        "401 minibatches of 5 operations are too many for a picture of test, which has room "
        "for 2,000 operations (expected --trace-iterations A:B with fewer than 400 "
        "minibatches)");
  }
  contract::Schedule large = schedule;
  large.ops.resize(2001);
  try {
    require_room_in_chart(large, 1);
    FAIL();
  } catch (const InfeasibleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("(expected another format of traces)"));
  }
}

// A window of few minibatches may still show many operations of others.
TEST(Chart, RefusesTooManyOperationsAfterTheRun) {
  const machine::Machine machine = tests::test_machine(3);
  const contract::Schedule schedule = tests::two_layer_schedule();
  const Channels channels = used_channels(machine, schedule);
  ChartRecorder recorder({machine, schedule, channels});
  for (std::int64_t i = 0; i < 1999; ++i) recorder.operation({0, i, i, i + 1});
  EXPECT_NO_THROW(recorder.finish(tests::sample_result(), {0, 2000}));
  for (std::int64_t i = 1999; i < 3000; ++i) recorder.operation({0, i, i, i + 1});
  try {
    recorder.finish(tests::sample_result(), {0, 3000});
    FAIL();
  } catch (const InfeasibleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("3,000 operations are too many for a picture"));
  }
  EXPECT_EQ(recorder.chart().bars.size(), 2000U);
}

}  // namespace
}  // namespace layerpipe::trace
