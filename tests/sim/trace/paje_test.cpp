#include "sim/trace/paje.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/process/isolated_process.hpp"
#include "tests/support/small_trace.hpp"
#include "tests/support/test_profile.hpp"
#include "tests/support/traced_run.hpp"

namespace layerpipe::trace {
namespace {

using namespace engine;
using namespace events;
using namespace metrics;
using namespace process;

std::string body(const std::string& trace) { return trace.substr(trace.find("0 M 0 ")); }

TEST(PajeTrace, WritesAStateForEveryOperationAndTransfer) {
  EXPECT_EQ(body(tests::small_trace<PajeTrace>()),
            "0 M 0 \"Machine\"\n"
            "0 P M \"Processor\"\n"
            "0 C M \"Channel\"\n"
            "0 L M \"Link\"\n"
            "1 O P \"Operation\"\n"
            "1 S P \"Stall\"\n"
            "1 T C \"Transfer\"\n"
            "10 D M P P \"Data\"\n"
            "10 E M C P \"Data passed on\"\n"
            "8 B L \"Busy\" \"0.60 0.60 0.60\"\n"
            "8 W P \"Weights\" \"0.34 0.71 0.91\"\n"
            "8 A P \"Activations\" \"0.00 0.45 0.70\"\n"
            "2 o0 O \"FP a\" \"0.00 0.45 0.70\"\n"
            "2 o1 O \"delta'' b\" \"0.80 0.47 0.65\"\n"
            "2 o2 O \"G a\" \"0.00 0.62 0.45\"\n"
            "2 o3 O \"FP b\" \"0.00 0.45 0.70\"\n"
            "2 o4 O \"backward b\" \"0.94 0.89 0.26\"\n"
            "2 s0 S \"fill\" \"0.87 0.87 0.87\"\n"
            "2 s1 S \"activation\" \"0.87 0.87 0.87\"\n"
            "2 s2 S \"gradient\" \"0.87 0.87 0.87\"\n"
            "2 s3 S \"weights\" \"0.87 0.87 0.87\"\n"
            "2 s4 S \"weight_version\" \"0.87 0.87 0.87\"\n"
            "2 s5 S \"channel\" \"0.87 0.87 0.87\"\n"
            "2 s6 S \"sharing\" \"0.87 0.87 0.87\"\n"
            "2 s7 S \"drain\" \"0.87 0.87 0.87\"\n"
            "2 d D \"data\" \"0.60 0.60 0.60\"\n"
            "2 e E \"data\" \"0.60 0.60 0.60\"\n"
            "2 t0 T \"mandatory activation a\" \"0.60 0.60 0.60\"\n"
            "2 t1 T \"mandatory gradient a\" \"0.60 0.60 0.60\"\n"
            "3 0.000000000000 m M 0 \"test machine\"\n"
            "3 0.000000000000 p0 P m \"p0\"\n"
            "3 0.000000000000 p1 P m \"p1\"\n"
            "3 0.000000000000 p2 P m \"p2\"\n"
            "3 0.000000000000 c0 C m \"p0 -> p1\"\n"
            "3 0.000000000000 c1 C m \"p1 -> p0\"\n"
            "3 0.000000000000 l1 L m \"p0-p1\"\n"
            "3 0.000000000000 l3 L m \"p1-p0\"\n"
            "7 0.000000000000 S p2 s7\n"
            "9 0.000000000000 W p0 128\n"
            "9 0.000000000000 A p0 0\n"
            "5 0.000000000000 O p0 o0 m0\n"
            "7 0.000000000000 S p1 s0\n"
            "9 0.000000000000 B l1 0.0434782609\n"
            "9 0.000000000000 B l3 0\n"
            "11 0.000000009000 D m p0 d 1\n"
            "6 0.000000010000 O p0\n"
            "13 0.000000010000 T c0 t0 m0 64\n"
            "7 0.000000010000 S p0 s7\n"
            "6 0.000000011000 T c0\n"
            "6 0.000000011000 S p1\n"
            "5 0.000000011000 O p1 o3 m0\n"
            "12 0.000000011000 D m p1 d 1\n"
            "6 0.000000023000 O p1\n"
            "6 0.000000023000 S p0\n"
            "6 0.000000023000 S p2\n"
            "4 0.000000023000 L l1\n"
            "4 0.000000023000 L l3\n"
            "4 0.000000023000 C c0\n"
            "4 0.000000023000 C c1\n"
            "4 0.000000023000 P p0\n"
            "4 0.000000023000 P p1\n"
            "4 0.000000023000 P p2\n"
            "4 0.000000023000 M m\n");
}

/// What `pj_dump -l 9` says of a trace; empty, and the test is skipped, where there is no pj_dump.
std::string pj_dump(const std::string& trace, int& exit_status) {
  const std::string path = fmt::format("{}paje_test-{}.paje", testing::TempDir(), ::getpid());
  std::ofstream(path) << trace;
  FILE* pipe = ::popen(("pj_dump -l 9 " + path + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  exit_status = ::pclose(pipe);
  std::remove(path.c_str());
  return output;
}

bool has_pj_dump() { return std::system("command -v pj_dump > /dev/null") == 0; }

// The format cannot escape a quote or a line feed in a name.
TEST(PajeTrace, IsReadableWithAnyNames) {
  if (!has_pj_dump()) GTEST_SKIP() << "pj_dump (Debian: pajeng) is not installed";
  machine::Machine machine = tests::test_machine(3);
  machine.processors[0] = "say \"hi\"\n# \\ \u00fcber";
  contract::Schedule schedule = tests::two_layer_schedule();
  schedule.layer_names[0] = "% \"a";
  int exit_status = -1;
  const std::string output = pj_dump(tests::small_trace<PajeTrace>(machine, schedule), exit_status);
  EXPECT_EQ(exit_status, 0) << output;
  EXPECT_NE(output.find("State, say 'hi' # \\ \u00fcber, Operation, 0.000000000, 0.000000010, "
                        "0.000000010, 0.000000000, FP % 'a"),
            std::string::npos)
      << output;
}

/// Trace of 20 minibatches of the sample network, and cycles of every processor by name of type:
/// of operations and of stalls.
nlohmann::json simulated_sample() {
  return nlohmann::json::parse(run_isolated([] {
    const machine::Machine machine =
        load_machine(LAYERPIPE_SOURCE_DIR "/platforms/three-32x32.xml");
    const contract::Schedule schedule =
        scheduler::find_scheduler("layerpipe").plan(tests::sample_profile(), machine, {}).schedule;
    const Channels channels = used_channels(machine, schedule);
    std::ostringstream stream;
    PajeTrace trace(stream, {machine, schedule, channels});
    tests::TracedRun run(schedule, channels, std::nullopt);
    run.add(trace);
    run.simulate(machine, 20);
    nlohmann::json cycles;
    for (std::size_t p = 0; p < machine.processors.size(); ++p) {
      cycles["p" + std::to_string(p) + " Operation"] = run.time_use()[p].busy;
      cycles["p" + std::to_string(p) + " Stall"] = total(run.time_use()[p].stalls);
    }
    return nlohmann::json{{"trace", stream.str()}, {"cycles", cycles}}.dump();
  }));
}

/// Nanoseconds from seconds with nine decimals.
std::int64_t nanoseconds(std::string text) {
  text.erase(text.find('.'), 1);
  return std::stoll(text);
}

TEST(PajeTrace, SumsToTheBusyAndStalledCyclesOfARun) {
  if (!has_pj_dump()) GTEST_SKIP() << "pj_dump (Debian: pajeng) is not installed";
  const nlohmann::json run = simulated_sample();
  int exit_status = -1;
  std::istringstream lines(pj_dump(run.at("trace").get<std::string>(), exit_status));
  EXPECT_EQ(exit_status, 0);
  std::map<std::string, std::int64_t> cycles;
  for (std::string line; std::getline(lines, line);) {
    std::array<std::string, 6> fields;  // State, container, type, start, end, duration
    std::istringstream stream(line);
    for (std::string& field : fields) std::getline(stream >> std::ws, field, ',');
    if (fields[0] != "State" || fields[2] == "Transfer") continue;
    cycles[fields[1] + " " + fields[2]] += nanoseconds(fields[5]);
  }
  EXPECT_EQ(cycles.size(), 6U);
  EXPECT_EQ(cycles, run.at("cycles").get<decltype(cycles)>());
}

}  // namespace
}  // namespace layerpipe::trace
