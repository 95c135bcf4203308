#include "sim/trace/csv_trace.hpp"

#include <gtest/gtest.h>

#include "tests/support/small_trace.hpp"

namespace layerpipe::trace {
namespace {

constexpr const char* header =
    "type,processor,destination,name,kind,layers,fraction,bytes,minibatch,queued_cycle,"
    "start_cycle,end_cycle\n";

// Slices, layers and 64 bytes: as tell_small_run and two_layer_schedule say. A link carries 64
// bytes a cycle: 64 / (64 x 23).
TEST(CsvTrace, HasARowForEverySlice) {
  EXPECT_EQ(tests::small_trace<CsvTrace>(),
            std::string(header) +
                "operation,p0,,FP a,forward,a,1,,0,,0,10\n"
                "transfer,p0,p1,mandatory activation a,mandatory,a,,64,0,10,10,11\n"
                "stall,p1,,stall fill,fill,,,,,,0,11\n"
                "operation,p1,,FP b,forward,b,1,,0,,11,23\n"
                "link,,,p0-p1,busy,,0.043478260869565216,64,,,0,23\n"
                "link,,,p1-p0,busy,,0,0,,,0,23\n"
                "stall,p0,,stall drain,drain,,,,,,10,23\n"
                "stall,p2,,stall drain,drain,,,,,,0,23\n");
}

// RFC 4180: a field with a comma or quote is quoted, quotes are doubled.
TEST(CsvTrace, QuotesNames) {
  machine::Machine machine = tests::test_machine(3);
  machine.processors[0] = "say \"hi\", p0";
  const std::string trace = tests::small_trace<CsvTrace>(machine);
  EXPECT_NE(trace.find("operation,\"say \"\"hi\"\", p0\",,FP a,forward,a,1,,0,,0,10\n"),
            std::string::npos)
      << trace;
}

}  // namespace
}  // namespace layerpipe::trace
