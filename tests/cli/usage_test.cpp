#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/simgrid_versions.hpp"
#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;

constexpr const char* platform = "platforms/three-32x32.xml";
constexpr const char* workload = "workloads/sample4.yaml";

struct Mistake {
  std::vector<std::string> arguments;
  std::string line;
};

/// Names the test.
void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.line; }

class UsageMistake : public testing::TestWithParam<Mistake> {};

TEST_P(UsageMistake, IsOneLineAndExitCode2) {
  const Answer answer = run_program(GetParam().arguments);
  EXPECT_EQ(answer.err, "layerpipe: " + GetParam().line + "\n");
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.exit_code, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Words, UsageMistake,
    testing::Values(
        Mistake{{"simualte", platform, workload}, "unknown command 'simualte' (nearest: simulate)"},
        Mistake{{"--verison"}, "unknown option '--verison' (nearest: --version)"},
        Mistake{{"simulate"}, "simulate: PLATFORM is required"},
        Mistake{{"simulate", platform}, "simulate: WORKLOAD is required"},
        Mistake{{"simulate", platform, workload, "more"}, "simulate: unexpected argument 'more'"},
        Mistake{{"simulate", platform, "--iteratons", "5", workload},
                "simulate: unknown option '--iteratons' (nearest: --iterations)"},
        Mistake{{"simulate", platform, "--iteratons=5"},
                "simulate: unknown option '--iteratons' (nearest: --iterations)"},
        Mistake{{"simulate", platform, workload, "--schedule", "pipdream"},
                "--schedule: unknown name 'pipdream' (nearest: pipedream)"},
        Mistake{{"compare", platform, workload, "--schedules", "pipedream,"},
                "--schedules: unknown name '' (expected layerpipe, layerpipe-strict, "
                "layerpipe-optimal or pipedream)"},
        Mistake{{"compare", platform, workload, "--schedules", "pipedream,layerpipe,pipedream"},
                "--schedules: 'pipedream' is named twice (expected each schedule once)"},
        Mistake{{"profile", platform, workload, "--format", "jsn"},
                "--format: unknown name 'jsn' (nearest: json)"},
        Mistake{{"platform", "--topology", "ring"},
                "--topology: unknown name 'ring' (expected crossbar or chain)"},
        Mistake{{"simulate", platform, workload, "--dataflow", "xx"},
                "--dataflow: unknown name 'xx' (expected weight-stationary (ws), input-stationary "
                "(is) or output-stationary (os))"},
        Mistake{{"platform", "--weight-gradient-dataflow", "output"},
                "--weight-gradient-dataflow: unknown name 'output' (nearest: output-stationary)"},
        Mistake{{"compare", platform, workload, "--schedules", "pipedream", "layerpipe"},
                "compare: unexpected argument 'layerpipe' (several --schedules are separated by "
                "commas alone: A,B,...)"},
        Mistake{{"compare", "--schedules", "pipedream", "layerpipe", platform, workload},
                "compare: unexpected argument 'workloads/sample4.yaml' (several --schedules are "
                "separated by commas alone: A,B,...)"},
        Mistake{{"help"}, "unknown command 'help' (expected layerpipe --help)"},
        Mistake{{"help", "simulate"},
                "unknown command 'help' (expected layerpipe simulate --help)"},
        Mistake{{"check"}, "check: FILE is required"},
        Mistake{{"list", "platforms"}, "list: unexpected argument 'platforms'"}));

INSTANTIATE_TEST_SUITE_P(
    Values, UsageMistake,
    testing::Values(
        Mistake{{"simulate", platform, workload, "--iterations"},
                "simulate: --iterations: expected exactly one value"},
        Mistake{{"simulate", platform, workload, "--batch", "1", "--batch", "2"},
                "simulate: --batch: expected exactly one value"},
        Mistake{{"simulate", platform, workload, "--first-input-gradient=5"},
                "simulate: --first-input-gradient: expected no value"},
        Mistake{{"simulate", platform, workload, "--iterations", "1e3"},
                "--iterations: '1e3' is not a whole number (expected 1 to 1,000,000,000)"},
        Mistake{{"simulate", platform, workload, "--iterations", "0"},
                "--iterations: '0' is out of range (expected 1 to 1,000,000,000)"},
        Mistake{{"simulate", platform, workload, "--iterations", "-1"},
                "--iterations: '-1' is negative (expected 1 to 1,000,000,000)"},
        Mistake{{"simulate", platform, workload, "--iterations", "010"},
                "--iterations: '010' has a leading zero (expected 1 to 1,000,000,000)"},
        Mistake{{"simulate", platform, workload, "--iterations", "nan"},
                "--iterations: 'nan' is not a whole number (expected 1 to 1,000,000,000)"},
        Mistake{{"simulate", platform, workload, "--iterations", ""},
                "--iterations: '' is not a whole number (expected 1 to 1,000,000,000)"},
        Mistake{{"schedule", platform, workload, "--alpha", "1"},
                "--alpha: '1' is no such factor (expected 1.000001 to 10, such as 1.001)"},
        Mistake{{"schedule", platform, workload, "--split", "channel"},
                "--split: unknown name 'channel' (nearest: channels)"},
        Mistake{{"schedule", platform, workload, "--array", "32"},
                "--array: '32' is not an array size (expected ROWSxCOLUMNS such as 32x32)"},
        Mistake{{"schedule", platform, workload, "--max-lent-bytes", "64kb"},
                "--max-lent-bytes: '64kb' has an unknown unit 'kb' (expected a size such as 4 MB; "
                "units: B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB or PiB)"},
        Mistake{
            {"platform", "--latency", "5 cycles"},
            "--latency: '5 cycles' has an unknown unit 'cycles' (expected a time such as 100 ns; "
            "units: ns, us, ms or s)"},
        Mistake{{"simulate", platform, workload, "--trace", "x.csv", "--output", "x.csv"},
                "--trace and --output name the same file (expected two different ones)"},
        Mistake{{"simulate", platform, workload, "--trace", "x.csv", "--trace", "./x.csv"},
                "--trace and --trace name the same file (expected two different ones)"},
        Mistake{{"simulate", platform, workload, "--trace", "x.txt"},
                "--trace: 'x.txt' has no suffix of a trace (expected .paje, .trace, .json, "
                ".csv or .svg)"},
        Mistake{{"simulate", platform, workload, "--trace-iterations", "2:3"},
                "--trace-iterations: there is no trace (expected --trace FILE as well)"},
        Mistake{{"simulate", platform, workload, "--iterations", "20", "--trace", "x.csv",
                 "--trace-iterations", "18:20"},
                "--trace-iterations: the run has no minibatch 20 (expected 0 to 19)"},
        Mistake{{"simulate", platform, workload, "--trace-iterations", "3:2"},
                "--trace-iterations: '3:2' is no range of minibatches (expected the first and the "
                "last, such as 10:12)"}));

constexpr const char* for_pipedream = "no chosen schedule reads it (expected pipedream)";
constexpr const char* for_layerpipe =
    "no chosen schedule reads it (expected layerpipe or layerpipe-strict)";
constexpr const char* for_both =
    "no chosen schedule reads it (expected layerpipe, layerpipe-strict or layerpipe-optimal)";

/// Option, value, one schedule that reads it, one that does not, and what is said of the latter.
struct Unread {
  const char* option;
  const char* value;
  const char* reader;
  const char* other;
  const char* message;
};

class UnreadOption : public testing::TestWithParam<Unread> {};

// Whatever a value means, it is refused even where it is the default.
TEST_P(UnreadOption, IsRefusedByEveryCommandThatHasIt) {
  const Unread& given = GetParam();
  for (const char* command : {"simulate", "schedule", "theory", "compare"}) {
    const char* choice = command == std::string("compare") ? "--schedules" : "--schedule";
    const auto answer = [&](const char* schedule) {
      return run_program(
          {command, platform, workload, choice, schedule, given.option, given.value});
    };
    const Answer refused = answer(given.other);
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err, std::string("layerpipe: ") + given.option + ": " + given.message + "\n");
    EXPECT_EQ(answer(given.reader).exit_code, 0) << command;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Usage, UnreadOption,
    testing::Values(Unread{"--objective", "communication", "pipedream", "layerpipe", for_pipedream},
                    Unread{"--alpha", "1.001", "layerpipe", "pipedream", for_layerpipe},
                    Unread{"--alpha", "5", "layerpipe", "layerpipe-optimal", for_layerpipe},
                    Unread{"--max-lent-weight-bytes", "1GB", "layerpipe-optimal", "pipedream",
                           for_both},
                    Unread{"--max-lent-bytes", "1GB", "layerpipe", "pipedream", for_both},
                    Unread{"--split", "channels", "layerpipe-optimal", "pipedream", for_both},
                    Unread{"--delays", "S", "layerpipe-optimal", "pipedream", for_both}),
    [](const auto& instance) { return "Row" + std::to_string(instance.index); });

TEST(Usage, TakesAnOptionThatOneRowOfAComparisonReads) {
  const auto compare = [](const char* schedules, const char* option, const char* value) {
    return run_program({"compare", platform, workload, "--schedules", schedules, option, value});
  };
  EXPECT_EQ(compare("pipedream,layerpipe", "--objective", "compute").exit_code, 0);
  EXPECT_EQ(compare("pipedream,layerpipe", "--alpha", "1.1").exit_code, 0);
  EXPECT_EQ(compare("pipedream,layerpipe-optimal", "--alpha", "1.1").exit_code, 2);
}

TEST(Usage, HelpSaysWhichSchedulesReadAnOption) {
  const std::string help = run_program({"simulate", "--help"}).out;
  EXPECT_THAT(help, testing::ContainsRegex("--objective NAME +pipedream: what"));
  EXPECT_THAT(help, testing::ContainsRegex("--alpha FACTOR +layerpipe, layerpipe-strict: factor"));
  EXPECT_THAT(help, testing::ContainsRegex(
                        "--split NAME +layerpipe, layerpipe-strict, layerpipe-optimal:"));
}

TEST(Usage, PrintsHelpWithoutArguments) {
  const Answer answer = run_program({});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.err, "");
  for (const char* command :
       {"simulate", "compare", "profile", "schedule", "theory", "check", "platform", "list"}) {
    EXPECT_THAT(answer.out, HasSubstr(std::string("\n  ") + command));
  }
}

TEST(Usage, HelpOfACommandHasAnExampleAndLinesOf100Columns) {
  for (const char* command :
       {"simulate", "compare", "profile", "schedule", "theory", "check", "platform", "list"}) {
    const Answer answer = run_program({command, "--help"});
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_THAT(answer.out, HasSubstr(std::string("Example:\n  layerpipe ") + command));
    std::istringstream lines(answer.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(Usage, PrintsItsVersion) {
  const Answer answer = run_program({"--version"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.out, "layerpipe 0.1.0 (SimGrid " + engine::simgrid_version() + ")\n");
}

}  // namespace
}  // namespace layerpipe::tests
