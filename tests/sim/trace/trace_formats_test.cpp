#include "sim/trace/trace_formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/sample_result.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/two_layer_schedule.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::trace {
namespace {

using namespace events;

std::string beginning_of(const char* path) {
  const machine::Machine machine = tests::test_machine(3);
  const contract::Schedule schedule = tests::two_layer_schedule();
  const Channels channels = used_channels(machine, schedule);
  std::ostringstream stream;
  const auto trace = make_trace_writer(path, stream, {machine, schedule, channels});
  trace->finish(tests::sample_result(), {});
  return stream.str().substr(0, 9);
}

TEST(TraceFormats, GoBySuffix) {
  EXPECT_EQ(beginning_of("a.csv/run.paje"), "%EventDef");
  EXPECT_EQ(beginning_of("run.trace"), "%EventDef");
  EXPECT_EQ(beginning_of("run.json"), "{\"display");
  EXPECT_EQ(beginning_of("run.csv"), "type,proc");
  EXPECT_EQ(beginning_of("run.svg"), "<?xml ver");
}

TEST(TraceFormats, OthersAreRefusedWithTheKnownOnes) {
  for (const char* path : {"run", "run.CSV", "run.csv.gz", "csv", ""}) {
    try {
      require_trace_suffix(path);
      FAIL() << path;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("has no suffix of a trace (expected .paje, "));
    }
  }
}

}  // namespace
}  // namespace layerpipe::trace
