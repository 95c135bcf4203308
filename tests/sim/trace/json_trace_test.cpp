#include "sim/trace/json_trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/small_trace.hpp"

namespace layerpipe::trace {
namespace {

using nlohmann::json;

/// Events that are no names of tracks, one a line.
std::string events(const std::string& trace) {
  std::istringstream lines(trace);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"ph\":\"M\"") == std::string::npos) result += line + "\n";
  }
  return result;
}

// Slices: as tell_small_run says. The arrow starts in the last cycle of FP a. Links carry 64 bytes
// a cycle: 64 / (64 x 23).
TEST(JsonTrace, HasSlicesAndArrows) {
  EXPECT_EQ(events(tests::small_trace<JsonTrace>()),
            R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"C","pid":4,"tid":0,"ts":0.000000,"name":"p0","args":{"weight_bytes":128,"activation_bytes":0}},
{"ph":"X","pid":1,"tid":0,"ts":0.000000,"dur":0.010000,"name":"FP a","cat":"forward","cname":"rail_response","args":{"kind":"forward","layer":"a","fraction":1,"minibatch":0,"cycles":10}},
{"ph":"X","pid":2,"tid":0,"ts":0.010000,"dur":0.001000,"name":"mandatory activation a","cat":"mandatory","cname":"generic_work","args":{"class":"mandatory","bytes":64,"minibatch":0,"queued_cycles":0,"cycles":1}},
{"ph":"X","pid":1,"tid":1,"ts":0.000000,"dur":0.011000,"name":"stall fill","cat":"stall","cname":"grey","args":{"cause":"fill","cycles":11}},
{"ph":"X","pid":1,"tid":1,"ts":0.011000,"dur":0.012000,"name":"FP b","cat":"forward","cname":"rail_response","args":{"kind":"forward","layer":"b","fraction":1,"minibatch":0,"cycles":12}},
{"ph":"s","id":1,"pid":1,"tid":0,"ts":0.009000,"name":"data","cat":"data"},
{"ph":"t","id":1,"pid":2,"tid":0,"ts":0.010000,"name":"data","cat":"data"},
{"ph":"f","bp":"e","id":1,"pid":1,"tid":1,"ts":0.011000,"name":"data","cat":"data"},
{"ph":"C","pid":3,"tid":1,"ts":0.000000,"name":"p0-p1","args":{"busy":0.0434782609}},
{"ph":"C","pid":3,"tid":3,"ts":0.000000,"name":"p1-p0","args":{"busy":0}},
{"ph":"X","pid":1,"tid":0,"ts":0.010000,"dur":0.013000,"name":"stall drain","cat":"stall","cname":"grey","args":{"cause":"drain","cycles":13}},
{"ph":"X","pid":1,"tid":2,"ts":0.000000,"dur":0.023000,"name":"stall drain","cat":"stall","cname":"grey","args":{"cause":"drain","cycles":23}},
{"ph":"C","pid":3,"tid":1,"ts":0.023000,"name":"p0-p1","args":{"busy":0}},
{"ph":"C","pid":3,"tid":3,"ts":0.023000,"name":"p1-p0","args":{"busy":0}}
],"otherData":{"begin_cycle":0}}
)");
}

// Of a name that is no UTF-8, the wrong byte becomes U+FFFD.
TEST(JsonTrace, NamesSurvive) {
  machine::Machine machine = tests::test_machine(3);
  machine.processors[0] = "say \"hi\"\n\t\\ \u00fcber";
  machine.processors[1] = std::string(300, 'x');
  machine.processors[2] = "\xff";
  contract::Schedule schedule = tests::two_layer_schedule();
  schedule.layer_names[0] = "\"a\" \u4e2d";
  const json trace = json::parse(tests::small_trace<JsonTrace>(machine, schedule));
  std::vector<std::string> tracks;
  std::vector<std::string> slices;
  for (const json& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name" && event["pid"] == 1) {
      tracks.push_back(event["args"]["name"]);
    }
    if (event["ph"] == "X") slices.push_back(event["name"]);
  }
  EXPECT_EQ(tracks,
            (std::vector<std::string>{machine.processors[0], machine.processors[1], "\ufffd"}));
  EXPECT_EQ(slices.at(0), "FP \"a\" \u4e2d");
}

}  // namespace
}  // namespace layerpipe::trace
