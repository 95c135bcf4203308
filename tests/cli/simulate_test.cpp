#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
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

// c takes the outputs of a and b: p0 sends one value to p1 and p2, whose transfers begin at one
// date, while p1 sends to p2. SimGrid's lazy updates carried the 24,000 bytes that go back to p1 in
// 20,200 cycles at a byte a cycle. 24,300 are from a max-min simulation of its own, of another
// author.
TEST(Simulate, NoLinkIsOverbooked) {
  const std::string platform = temporary_path("three.xml");
  const std::string workload = temporary_path("pass3.yaml");
  std::ofstream(workload)
      << "layers:\n"
         "  - {name: a, type: measured, forward: 8000 cycles, input_gradient: 5000 cycles, "
         "weight_gradient: 3000 cycles, activation: 10000 B, weight: 0}\n"
         "  - {name: b, type: measured, forward: 8000 cycles, input_gradient: 3000 cycles, "
         "weight_gradient: 5000 cycles, activation: 4000 B, weight: 0}\n"
         "  - {name: c, type: measured, inputs: [a, b], forward: 4000 cycles, input_gradient: 3000 "
         "cycles, weight_gradient: 1000 cycles, activation: 8000 B, weight: 0}\n";
  EXPECT_EQ(run_program({"platform", "--array", "32x32", "--processors", "3", "--bandwidth",
                         "1GB/s", "--output", platform})
                .exit_code,
            0);
  const Answer answer = run_program({"simulate", platform, workload, "--format", "json"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  const auto result = nlohmann::json::parse(answer.out);
  EXPECT_EQ(result["steady_state"]["exact"], true);
  EXPECT_EQ(result["steady_state"]["period_cycles"], 24'300.0);
  for (const auto& link : result["links"]) {
    if (link["name"] != "machine_link_1_DOWN") continue;
    EXPECT_EQ(link["bytes_per_minibatch"], 24'000);
    EXPECT_DOUBLE_EQ(link["busy_fraction"].get<double>(), 24'000.0 / 24'300.0);
  }
  std::remove(platform.c_str());
  std::remove(workload.c_str());
}

// Nothing waits for the first layer's input gradient, and the rest takes no time: minibatches end
// at once, but a processor cannot take less time than it is busy.
// Only the input gradient takes time, and under LayerPipe no update waits for it: minibatches end
// at once, and no number is made of that.
TEST(Simulate, APeriodIsWhatRunsShow) {
  const std::string path = temporary_path("first.yaml");
  std::ofstream(path)
      << "layers:\n  - {type: measured, forward: 0 cycles, input_gradient: 500 cycles, "
         "weight_gradient: 0 cycles, activation: 0 B, weight: 0 B}\n";
  const std::vector<std::string> words{"simulate", "platforms/three-32x32.xml", path};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all);
  };
  const Answer answer =
      with({"--first-input-gradient", "--schedule", "pipedream", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(answer.out)["steady_state"]["period_cycles"], 500.0);
  for (const Answer& nothing : {with({}), with({"--first-input-gradient"})}) {
    EXPECT_EQ(nothing.exit_code, 4);
    EXPECT_THAT(nothing.err, HasSubstr("take no time at all"));
  }
  std::remove(path.c_str());
}

/// A file that is removed with this object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text) : path_(temporary_path(name)) {
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// 5,000 bytes take 5,000 cycles at a byte a cycle: more than the 2,500 of the slowest processor,
// and the 4,500 of two forward passes, delta and G, and two transfers in 3 minibatches. The link is
// not full: each transfer has all of it.
TEST(Simulate, NamesTheChannelThatBindsOverAFatpipeLink) {
  const std::string host =
      R"(<host id="p{}" speed="1Gf"><prop id="rows" value="32"/><prop id="cols" value="32"/></host>)";
  std::string hosts;
  for (const char* number : {"0", "1"}) {
    std::string one = host;
    hosts += one.replace(one.find("{}"), 2, number);
  }
  const TemporaryFile platform(
      "fatpipe.xml",
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">" +
          hosts +
          R"(<link id="l" bandwidth="1GBps" latency="0" sharing_policy="FATPIPE"/>)"
          R"(<route src="p0" dst="p1"><link_ctn id="l"/></route></zone></platform>)");
  const TemporaryFile workload(
      "fatpipe.yaml",
      "layers:\n"
      "  - {name: a, type: measured, forward: 1000 cycles, input_gradient: 0, weight_gradient: "
      "1000 "
      "cycles, activation: 5 kB, weight: 1 kB}\n"
      "  - {name: b, type: measured, forward: 1000 cycles, input_gradient: 500 cycles, "
      "weight_gradient: 1000 cycles, activation: 1 kB, weight: 1 kB}\n");
  const Answer run = run_program({"simulate", platform.path(), workload.path(), "--stages", "1,1"});
  EXPECT_THAT(run.out, HasSubstr("\nPeriod      5,000 cycles (5.0 us), 200.0 % of the bound"));
  EXPECT_THAT(run.out, HasSubstr("\nBound by    channel p0 -> p1, 100.0 % busy\n"));
  const Answer theory = run_program({"theory", platform.path(), workload.path()});
  EXPECT_THAT(theory.out,
              HasSubstr("\nThe channel from p0 to p1 takes 5,000 cycles for all that it "
                        "sends for a minibatch, more than either.\n"
                        "In the run it is bound by channel p0 -> p1, 100.0 % busy.\n"
                        "Recurrence and simulation agree.\n"));
}

// Nothing holds the faster of two networks in one back: whoever executes it begins minibatches at
// its own pace.
TEST(Simulate, PrintsNoLatencyThatGrowsWithoutEnd) {
  const TemporaryFile workload(
      "apart.yaml",
      "batch: 1\n"
      "input: {channels: 4, height: 8, width: 8}\n"
      "layers:\n"
      "  - {name: a, type: conv2d, inputs: input, out_channels: 4, kernel_size: 1}\n"
      "  - {name: b, type: conv2d, inputs: input, out_channels: 64, kernel_size: 3}\n");
  for (const char* iterations : {"100", "3000"}) {
    const std::vector<std::string> words{"two-32x32", workload.path(), "--iterations", iterations};
    std::vector<std::string> simulate{"simulate", "--stages", "1,1"};
    simulate.insert(simulate.end(), words.begin(), words.end());
    EXPECT_THAT(run_program(simulate).out,
                HasSubstr("\nLatency     grew throughout the run, from "));
    simulate.insert(simulate.end(), {"--format", "json"});
    const auto steady = nlohmann::json::parse(run_program(simulate).out)["steady_state"];
    EXPECT_TRUE(steady["latency"].is_null());
    EXPECT_GT(steady["latency_growth"]["to_cycles"].get<double>(),
              2.0 * steady["latency_growth"]["from_cycles"].get<double>());
  }
}

TEST(Simulate, DoesNotOverwriteItsInputs) {
  const std::string input = temporary_path("input.yaml");
  std::ofstream(input) << content("workloads/sample4.yaml");
  const std::string before = content(input);
  const std::string link = temporary_path("link.yaml");
  const std::string trace_link = temporary_path("link.csv");
  std::filesystem::create_symlink(input, link);
  std::filesystem::create_symlink(input, trace_link);
  using Target = std::pair<const char*, std::string>;
  for (const auto& [option, path] :
       {Target{"--output", input}, Target{"--output", link}, Target{"--trace", trace_link}}) {
    const Answer answer =
        run_program({"simulate", "platforms/three-32x32.xml", input, option, path});
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_THAT(answer.err, HasSubstr("name the same file"));
  }
  EXPECT_EQ(content(input), before);
  std::remove(link.c_str());
  std::remove(trace_link.c_str());
  std::remove(input.c_str());
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
  EXPECT_EQ(
      json["options"].dump(),
      R"({"schedule":"layerpipe","iterations":20,"until":"iterations",)"
      R"("tolerance":0.001,"processors":3,"batch":32,)"
      R"("array":"32x32","clock_hertz":1000000000.0,"alpha":1.001,"objective":"communication","split":"ideal",)"
      R"("delays":"2S","priority":"fixed","first_input_gradient":false,"max_lent_weight_bytes":null,)"
      R"("max_lent_bytes":1000000000,"dataflow":"weight-stationary",)"
      R"("weight_gradient_dataflow":"weight-stationary","input_gradient":"convolution"})");
}

TEST(Simulate, WritesTracesBesideItsReport) {
  const std::string paje = temporary_path("run.paje");
  const std::string csv = temporary_path("run.csv");
  const Answer answer = simulate({"--iterations", "5", "--trace", paje, "--trace", csv});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("\nPeriod "));
  EXPECT_THAT(content(paje), StartsWith("# {\"layerpipe_version\":"));
  EXPECT_THAT(content(paje), HasSubstr("\n%EventDef PajeDefineContainerType 0\n"));
  EXPECT_THAT(content(paje), HasSubstr(" M m\n"));
  EXPECT_THAT(content(csv), StartsWith("type,processor,"));
  std::remove(paje.c_str());
  std::remove(csv.c_str());
  std::remove((csv + ".provenance.json").c_str());
}

// A run with one trace that cannot be written has written none.
TEST(Simulate, TracesAreWholeOrAbsent) {
  const std::string full = temporary_path("full.paje");
  const std::string other = temporary_path("other.csv");
  std::filesystem::create_symlink("/dev/full", full);
  for (const auto& [first, second] : {std::pair{full, other}, std::pair{other, full}}) {
    EXPECT_EQ(simulate({"--iterations", "5", "--trace", first, "--trace", second}).exit_code, 74);
    EXPECT_FALSE(std::filesystem::exists(other));
  }
  std::remove(full.c_str());
}

// The reader of a terminal and of JSON is spared the byte that is no UTF-8.
TEST(Simulate, TakesAFileOfAnyName) {
  const std::string path = temporary_path("\xff.xml");
  ASSERT_EQ(run_program({"platform", "--output", path}).exit_code, 0);
  for (const char* format : {"text", "json", "csv"}) {
    const Answer answer =
        run_program({"simulate", path, "workloads/sample4.yaml", "--format", format});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_THAT(answer.out, testing::Not(HasSubstr("\xff")));
  }
  std::remove(path.c_str());
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

/// Minibatches that each schedule was simulated for.
std::vector<std::int64_t> compared_iterations(const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"compare", "platforms/three-32x32.xml",
                                     "workloads/sample4.yaml", "--format", "json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const nlohmann::json json = nlohmann::json::parse(run_program(arguments).out);
  std::vector<std::int64_t> iterations;
  for (const auto& schedule : json["schedules"]) iterations.push_back(schedule["iterations"]);
  return iterations;
}

/// How many minibatches are needed is found by the program itself; that they suffice is tested
/// beside `run`.
TEST(Compare, StopsEarlyUnlessToldHowLong) {
  const auto early = compared_iterations({});
  ASSERT_EQ(early.size(), 2U);
  EXPECT_LT(early[0], 20);
  EXPECT_LT(early[1], 20);
  const std::vector<std::int64_t> whole{200, 200};
  EXPECT_EQ(compared_iterations({"--iterations", "200"}), whole);
  EXPECT_EQ(compared_iterations({"--until", "iterations"}), whole);
  EXPECT_EQ(compared_iterations({"--iterations", "100", "--until", "steady"}), early);
  const std::vector<std::int64_t> at_most{4, 4};
  EXPECT_EQ(compared_iterations({"--iterations", "4", "--until", "steady"}), at_most);
}

TEST(Simulate, UntilSteadyShowsTheWindowOfItsTraces) {
  const std::string trace = temporary_path("window.csv");
  const Answer answer = simulate(
      {"--until", "steady", "--format", "json", "--trace", trace, "--trace-iterations", "50:52"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  const nlohmann::json json = nlohmann::json::parse(answer.out);
  EXPECT_GT(json["iterations"], 52);
  EXPECT_LT(json["iterations"], 70);
  EXPECT_EQ(json["iterations_requested"], 5000);
  EXPECT_EQ(json["options"]["until"], "steady");
  EXPECT_THAT(content(trace), HasSubstr(",52,"));
  std::remove(trace.c_str());
  std::remove((trace + ".provenance.json").c_str());
}

}  // namespace
}  // namespace layerpipe::tests
