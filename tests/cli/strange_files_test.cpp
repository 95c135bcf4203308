#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

// What every command that reads a file of a kind says of the same strange file: one line with the
// place, within 2 s, and nothing else. Readers have their own tests of all that they refuse.
namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// Two hosts in line 3 and 4 of a zone; `body` starts in line 5.
std::string platform(const std::string& body, const std::string& routing = "Full") {
  std::string hosts;
  for (const char* name : {"p0", "p1"}) {
    hosts += fmt::format(
        R"(<host id="{}" speed="1Gf"><prop id="rows" value="4"/><prop id="cols" value="4"/></host>)"
        "\n",
        name);
  }
  return fmt::format(
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4.1\"><zone "
      "id=\"z\" routing=\"{}\">\n{}{}</zone></platform>\n",
      routing, hosts, body);
}

const std::string link = R"(<link id="l" bandwidth="1GBps" latency="1us"/>)";
const std::string route = R"(<route src="p0" dst="p1"><link_ctn id="l"/></route>)";

std::string workload(const std::string& layer = "{type: linear, out_features: 8}",
                     const std::string& batch = "8") {
  return fmt::format("batch: {}\ninput: {{features: 8}}\nlayers:\n  - {}\n  - {}\n", batch, layer,
                     "{type: linear, out_features: 8}");
}

struct Strange {
  std::string name;
  std::string text;
  int exit_code;
  std::string complaint;  ///< behind the file's name
};

void PrintTo(const Strange& strange, std::ostream* stream) { *stream << strange.name; }

/// A folder with one strange file, and good ones.
class StrangeFiles : public testing::TestWithParam<Strange> {
 protected:
  StrangeFiles() : folder_(temporary_path("strange")) {
    fs::create_directories(folder_);
    write("good.xml", platform(link + route));
    write("good.yaml", workload());
  }
  ~StrangeFiles() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }

  /// The command says it about file `name`, and leaves the folder as it is.
  void expect_refused(const std::vector<std::string>& words, const std::string& name,
                      int exit_code) const {
    constexpr const char* two_seconds = "ulimit -t 2; ";
    const auto before = count();
    const Answer answer = run_program(words, "", two_seconds);
    EXPECT_EQ(answer.exit_code, exit_code) << words[0];
    EXPECT_EQ(answer.err, "layerpipe: " + file(name) + GetParam().complaint + "\n") << words[0];
    if (words[0] != "check") {
      EXPECT_EQ(answer.out, "");
    }
    EXPECT_EQ(count(), before) << words[0];
  }

  [[nodiscard]] std::vector<std::string> sweep(const std::string& platform,
                                               const std::string& workload) const {
    write("spec.yaml", fmt::format("workloads: {}\nplatforms: {}\nschedules: layerpipe\n",
                                   file(workload), file(platform)));
    return {"sweep", file("spec.yaml"), "--output", file("results.csv")};
  }

 private:
  [[nodiscard]] std::ptrdiff_t count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

class StrangePlatform : public StrangeFiles {};
class StrangeWorkload : public StrangeFiles {};
class StrangeAllocation : public StrangeFiles {};
class StrangeSpec : public StrangeFiles {};

TEST_P(StrangePlatform, IsOneLineOfEveryCommand) {
  write("strange.xml", GetParam().text);
  for (const char* command : {"simulate", "compare", "theory", "schedule", "profile"}) {
    expect_refused({command, file("strange.xml"), file("good.yaml")}, "strange.xml",
                   GetParam().exit_code);
  }
  expect_refused({"check", file("strange.xml")}, "strange.xml", 3);
  expect_refused(sweep("strange.xml", "good.yaml"), "strange.xml", GetParam().exit_code);
}

INSTANTIATE_TEST_SUITE_P(
    Files, StrangePlatform,
    testing::Values(
        Strange{"Malformed", "<!DOCTYPE platform>\n<platform version=\"4.1\">\n<zone", 3,
                ":3:5: not well-formed XML: Error parsing start element tag (expected a SimGrid "
                "platform)"},
        Strange{"BillionLaughs",
                "<!DOCTYPE platform [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>\n"
                "<platform version=\"4.1\">&b;</platform>\n",
                3,
                ":2:1: declarations in the document type (expected <!DOCTYPE platform SYSTEM "
                "\"https://simgrid.org/simgrid.dtd\">)"},
        Strange{"DuplicateLink", platform(link + "\n" + link), 3,
                ":6:1: a second link 'l' (expected different names)"},
        Strange{"MissingProfile",
                platform(R"(<link id="l" bandwidth="1Bps" latency="0" bandwidth_file="none"/>)"), 3,
                ":5:1: bandwidth_file: profiles are not modelled (expected no such file)"},
        Strange{"UnknownRouting", platform(link + route, "Fulll"), 3,
                ":2:25: unknown routing 'Fulll' (nearest: Full)"},
        Strange{"TwoHostsOfAName",
                platform("<host id=\"p1\" speed=\"1Gf\"><prop id=\"rows\" value=\"4\"/><prop "
                         "id=\"cols\" value=\"4\"/></host>"),
                3, ":5:1: a second host 'p1' (expected different names)"},
        Strange{"DeepNesting",
                platform(repeated("<zone id=\"y\" routing=\"Full\">\n", 1'000) +
                         repeated("</zone>", 1'000)),
                3, ":68:1: nested too deeply (expected at most 64 levels)"},
        Strange{"NoLinkBehindAByteOrderMark", "\xEF\xBB\xBF" + platform(route), 3,
                ":5:26: SimGrid refuses it: Link not found: l"}),
    [](const auto& test) { return test.param.name; });

TEST_P(StrangeWorkload, IsOneLineOfEveryCommand) {
  write("strange.yaml", GetParam().text);
  for (const char* command : {"simulate", "compare", "theory", "schedule", "profile"}) {
    expect_refused({command, file("good.xml"), file("strange.yaml")}, "strange.yaml",
                   GetParam().exit_code);
  }
  expect_refused({"check", file("strange.yaml")}, "strange.yaml", 3);
  expect_refused(sweep("good.xml", "strange.yaml"), "strange.yaml", GetParam().exit_code);
}

INSTANTIATE_TEST_SUITE_P(
    Files, StrangeWorkload,
    testing::Values(
        Strange{"Empty", "", 3, ":1:1: the file is empty (expected keys and values)"},
        Strange{"Scalar", "hello\n", 3,
                ":1:1: the file is unquoted text (expected a mapping of keys to values)"},
        Strange{"DuplicateKey", workload() + "batch: 9\n", 3,
                ":6:1: duplicate key 'batch' (expected each key once)"},
        Strange{"Exponent", workload("{type: relu}", "1e3"), 3,
                ":1:8: batch: '1e3' is not a whole number (expected 1 to 1,000,000,000)"},
        Strange{"NotANumber", workload("{type: relu}", ".nan"), 3,
                ":1:8: batch: '.nan' is not a whole number (expected 1 to 1,000,000,000)"},
        Strange{"AliasBomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 3,
                ":1:4: an anchor '&a' (expected a value without one)"},
        Strange{"DeepNesting", repeated("[", 100'000) + repeated("]", 100'000), 3,
                ":1:17: nested too deeply (expected at most 16 levels)"},
        Strange{"TabIndentation", "batch: 8\nlayers:\n\t- {type: relu}\n", 3,
                ":3:2: not YAML: illegal block entry (expected indentation by spaces, not tabs)"},
        Strange{"MillionLayers", workload() + repeated("  - {type: relu}\n", 1'000'000), 3,
                ": too large (expected at most 2,097,152 bytes)"}),
    [](const auto& test) { return test.param.name; });

TEST_P(StrangeAllocation, IsOneLineOfEveryCommand) {
  write("strange.json", GetParam().text);
  for (const char* command : {"simulate", "compare", "schedule"}) {
    expect_refused(
        {command, file("good.xml"), file("good.yaml"), "--allocation", file("strange.json")},
        "strange.json", GetParam().exit_code);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, StrangeAllocation,
    testing::Values(
        Strange{"Empty", "", 3,
                ":1:1: not JSON: unexpected end of input (expected '[', '{', or a literal)"},
        Strange{"Scalar", "5\n", 3, ":1:1: the file is a number (expected an object)"},
        Strange{"DuplicateKey", R"({"schedule": "layerpipe", "schedule": "pipedream"})", 3,
                ":1:27: duplicate key 'schedule' (expected once)"},
        Strange{"DeepNesting", repeated("{\"a\":", 100'000), 3,
                ":1:81: nested too deeply (expected at most 16 levels)"},
        Strange{"HugeNumber", R"({"schedule": 1e999})", 3,
                ":1:14: a number is out of range (expected one below 1.8e308)"},
        Strange{"Workload", workload(), 3, ":1:1: not JSON: invalid literal (expected JSON)"}),
    [](const auto& test) { return test.param.name; });

TEST_P(StrangeSpec, IsOneLine) {
  write("strange.yaml", GetParam().text);
  expect_refused({"sweep", file("strange.yaml"), "--output", file("results.csv")}, "strange.yaml",
                 GetParam().exit_code);
}

const std::string spec = "workloads: mlp\nplatforms: two-32x32\nschedules: layerpipe\n";

INSTANTIATE_TEST_SUITE_P(
    Files, StrangeSpec,
    testing::Values(
        Strange{"Empty", "", 3, ":1:1: the file is empty (expected keys and values)"},
        Strange{"Platform", platform(link + route), 3,
                ":1:1: the file is unquoted text (expected a mapping of keys to values)"},
        Strange{"DuplicateKey", spec + "schedules: pipedream\n", 3,
                ":4:1: duplicate key 'schedules' (expected each key once)"},
        Strange{"NoIterations", spec + "iterations: 0\n", 3,
                ":4:13: iterations: '0' is out of range (expected 1 to 1,000,000,000)"},
        Strange{"DeepNesting", "workloads: " + repeated("[", 100'000) + repeated("]", 100'000), 3,
                ":1:27: nested too deeply (expected at most 16 levels)"}),
    [](const auto& test) { return test.param.name; });

// Hosts that differ are no mistake, but cannot be simulated.
INSTANTIATE_TEST_SUITE_P(
    Requests, StrangePlatform,
    testing::Values(
        Strange{
            "Floyd", platform(repeated("<router id=\"\"/>\n", 2'998) + link + route, "Floyd"), 4,
            ":2:25: 3000 members of a zone with routing Floyd (expected at most 512, or routing "
            "DijkstraCache)"},
        Strange{"OtherArray",
                platform("<host id=\"p2\" speed=\"1Gf\"><prop id=\"rows\" value=\"8\"/><prop "
                         "id=\"cols\" value=\"4\"/></host>"),
                4,
                ":5:1: host 'p2' differs in its array from the first one (4x4, weight-stationary); "
                "expected equal processors"}),
    [](const auto& test) { return test.param.name; });

/// Without a strange file: names of files that are not there.
TEST(NoFiles, AreOneLineOfEveryCommand) {
  const std::string good = LAYERPIPE_SOURCE_DIR "/platforms/two-32x32.xml";
  const auto expect_refused = [](const std::vector<std::string>& words, const std::string& line) {
    const Answer answer = run_program(words);
    EXPECT_EQ(answer.exit_code, 3) << words[0];
    EXPECT_EQ(answer.err, "layerpipe: " + line + "\n") << words[0];
    EXPECT_EQ(answer.out, "") << words[0];
  };
  const std::string missing =
      ": cannot be read: No such file or directory (expected a readable file)";
  for (const char* command : {"simulate", "compare", "theory", "schedule", "profile"}) {
    expect_refused({command, "no.xml", "mlp"}, "no.xml" + missing);
    expect_refused({command, good, "no.yaml"}, "no.yaml" + missing);
    expect_refused({command, "/", "mlp"}, "/: is not a file (expected a SimGrid platform in XML)");
    expect_refused({command, good, "/"}, "/: is a directory (expected a file)");
    expect_refused({command, "workloads/mlp.yaml", good},
                   "workloads/mlp.yaml: is not XML (expected a SimGrid platform; are platform and "
                   "workload swapped?)");
    expect_refused({command, "mlp", "two-32x32"},
                   "'mlp' is a workload (expected a platform; are platform and workload swapped?)");
  }
  for (const char* command : {"simulate", "compare", "schedule"}) {
    expect_refused({command, good, "mlp", "--allocation", "no.json"}, "no.json" + missing);
    expect_refused({command, good, "mlp", "--allocation", "/"},
                   "/: is a directory (expected a file)");
  }
  const std::string results = temporary_path("none.csv");
  expect_refused({"sweep", "no.yaml", "--output", results}, "no.yaml" + missing);
  expect_refused({"sweep", "/", "--output", results}, "/: is a directory (expected a file)");
  EXPECT_FALSE(fs::exists(results));
}

}  // namespace
}  // namespace layerpipe::tests
