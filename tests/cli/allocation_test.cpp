#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

const std::string three = "platforms/three-32x32.xml";
const std::string sample = "workloads/sample4.yaml";

/// A file that is removed again.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text) : path_(temporary_path(name)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string output(const std::vector<std::string>& arguments) {
  const Answer answer = run_program(arguments);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  return answer.out;
}

/// PipeDream lends nothing, and takes no `--split`.
std::vector<std::string> choice(const std::string& schedule, const std::string& split) {
  if (schedule == "pipedream") return {"--schedule", schedule};
  return {"--schedule", schedule, "--split", split};
}

std::string scheduled(const std::string& platform, const std::string& workload,
                      const std::string& schedule, const std::string& split) {
  std::vector<std::string> arguments{"schedule", platform, workload, "--format", "json"};
  std::ranges::copy(choice(schedule, split), std::back_inserter(arguments));
  return output(arguments);
}

/// The result without what the schedule is called in it.
std::string without_names(const std::string& text) {
  Json result = Json::parse(text);
  result.erase("schedule");
  result.erase("provenance");
  result["options"].erase("schedule");
  result["options"].erase("allocation");
  return result.dump();
}

/// On these, and on each schedule and split, a schedule that was written and read again gives the
/// same result.
class RoundTrip : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RoundTrip, ChangesNothing) {
  const std::string platform = fmt::format("platforms/{}.xml", GetParam().first);
  const std::string workload = fmt::format("workloads/{}.yaml", GetParam().second);
  for (const char* schedule : {"layerpipe", "layerpipe-optimal", "pipedream"}) {
    for (const char* split : {"ideal", "channels", "batch"}) {
      if (std::string(schedule) == "pipedream" && std::string(split) != "ideal") continue;
      SCOPED_TRACE(fmt::format("{}, {}", schedule, split));
      const std::string written = scheduled(platform, workload, schedule, split);
      const TemporaryFile file("allocation.json", written);
      const std::vector<std::string> common{platform, workload, "--format", "json"};
      const auto ask = [&](const std::string& command, std::vector<std::string> options) {
        options.insert(options.begin(), common.begin(), common.end());
        options.insert(options.begin(), command);
        return output(options);
      };
      std::vector<std::string> options = choice(schedule, split);
      options.insert(options.end(), {"--iterations", "4"});
      EXPECT_EQ(without_names(ask("simulate", options)),
                without_names(ask("simulate", {"--iterations", "4", "--allocation", file.path()})));
      Json expected = Json::parse(written);
      expected["target_cycles"] = nullptr;
      EXPECT_EQ(without_names(expected.dump()),
                without_names(ask("schedule", {"--allocation", file.path()})));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    ShippedNetworks, RoundTrip,
    testing::Values(std::pair{"three-32x32", "sample4"}, std::pair{"eight-128x128", "alexnet"},
                    std::pair{"eight-32x32-chain", "vgg16"},
                    std::pair{"twelve-64x64", "vgg16-conv"}, std::pair{"four-32x32", "mlp"},
                    std::pair{"eight-64x64", "resnet18"}, std::pair{"sixteen-32x32", "resnet50"},
                    std::pair{"twelve-128x128-chain", "mobilenet_v2"},
                    std::pair{"eight-256x256", "unet"}),
    [](const auto& test) {
      std::string name = test.param.second;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Allocation, NamesFileAndOrderInResults) {
  const TemporaryFile file("mine.json", scheduled(three, sample, "layerpipe-optimal", "channels"));
  const Json result = Json::parse(output({"simulate", three, sample, "--allocation", file.path(),
                                          "--iterations", "20", "--format", "json"}));
  EXPECT_EQ(result["schedule"], "layerpipe");
  EXPECT_EQ(
      result["options"].dump(),
      fmt::format(
          R"({{"schedule":"layerpipe","allocation":"{}","iterations":20,"until":"iterations",)"
          R"("tolerance":0.001,"processors":3,)"
          R"("batch":32,"array":"32x32","clock_hertz":1000000000.0,"alpha":1.001,)"
          R"("objective":"communication","split":"channels","delays":"2S","priority":"fixed","first_input_gradient":false,)"
          R"("max_lent_weight_bytes":null,"max_lent_bytes":null,"dataflow":"weight-stationary",)"
          R"("weight_gradient_dataflow":"weight-stationary","input_gradient":"convolution"}})",
          file.path()));
}

// What `schedule` says of an allocation can be read as one. Half of delta(3) of sample4, 14454072
// cycles (reference figures R4), is 7227036; p1 keeps the other half.
TEST(Allocation, MayBeEditedAgainAndAgain) {
  Json json = Json::parse(scheduled(three, sample, "layerpipe", "ideal"));
  json["processors"][1]["operations"][2]["fraction"] = 0.5;
  json["processors"][2]["operations"][0]["fraction"] = 0.5;
  const TemporaryFile edited("edited.json", json.dump());
  const std::string once =
      output({"schedule", three, sample, "--allocation", edited.path(), "--format", "json"});
  EXPECT_EQ(Json::parse(once)["lent_input_gradients"][1]["kept_cycles"], 7227036);
  EXPECT_EQ(Json::parse(once)["lent_input_gradients"][1]["lent_cycles"], 7227036);
  const TemporaryFile again("again.json", once);
  const std::string twice =
      output({"schedule", three, sample, "--allocation", again.path(), "--format", "json"});
  EXPECT_EQ(without_names(twice), without_names(once));
}

std::int64_t sum(const Json& list, const std::vector<std::string>& keys) {
  std::int64_t result = 0;
  for (const Json& item : list) {
    for (const std::string& key : keys) result += item[key].get<std::int64_t>();
  }
  return result;
}

// Cycles are those of this batch, array and machine: together what `profile` says, since an ideal
// split costs nothing.
TEST(Allocation, ServesOtherInputs) {
  const TemporaryFile file("other.json", scheduled(three, sample, "layerpipe", "ideal"));
  for (const std::vector<std::string>& inputs :
       {std::vector<std::string>{"platforms/eight-128x128-chain.xml", sample},
        {"platforms/eight-32x32.xml", sample, "--processors", "3", "--batch", "7", "--array",
         "20x50"}}) {
    const auto ask = [&](std::vector<std::string> words) {
      words.insert(words.end(), inputs.begin(), inputs.end());
      return Json::parse(output(words));
    };
    const Json schedule = ask({"schedule", "--format", "json", "--allocation", file.path()});
    const Json profile = ask({"profile", "--format", "json"});
    EXPECT_EQ(sum(schedule["processors"], {"total_cycles"}),
              sum(profile["layers"],
                  {"forward_cycles", "input_gradient_cycles", "weight_gradient_cycles"}));
  }
}

TEST(Allocation, NeedsAsManyProcessors) {
  const TemporaryFile file("needs.json", scheduled(three, sample, "layerpipe", "ideal"));
  const Answer answer =
      run_program({"simulate", "platforms/two-32x32.xml", sample, "--allocation", file.path()});
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, testing::MatchesRegex("layerpipe: .*needs.json:[0-9]+:15: unknown "
                                                "processor 'p2' .nearest: p0.\n"));
}

TEST(Allocation, SaysThatOnlyTheFirstProcessorsAreUsed) {
  const TemporaryFile file("three.json", scheduled(three, sample, "layerpipe", "ideal"));
  const Answer answer =
      run_program({"simulate", three, sample, "--allocation", file.path(), "--processors", "2"});
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("processor 'p2' is not used (expected one of the first 2 of "
                                    "the platform)\n"));
}

// Pipedream's slowest processor takes 43434336 cycles, LayerPipe's 32007170 (reference figures R4).
TEST(Allocation, IsARowOfACompare) {
  const TemporaryFile first("first.json", scheduled(three, sample, "layerpipe", "ideal"));
  const TemporaryFile second("second.json", scheduled(three, sample, "pipedream", "ideal"));
  const Answer answer = run_program({"compare", "--allocation", first.path(), three, sample,
                                     "--schedules", "pipedream", "--allocation", second.path()});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  const std::string name = std::filesystem::path(first.path()).filename().string();
  EXPECT_THAT(answer.out, testing::ContainsRegex("\npipedream  +43,434,336 .*\n" + name +
                                                 " +32,007,170 .* 1\\.36 "));
  EXPECT_THAT(answer.out, testing::ContainsRegex("second.json +43,434,336 .* 1\\.00 "));
}

TEST(Allocation, IsInsteadOfAScheduleAndItsOptions) {
  for (const char* command : {"simulate", "schedule"}) {
    for (const auto& [option, value] :
         {std::pair{"--schedule", "layerpipe"}, std::pair{"--split", "ideal"},
          std::pair{"--alpha", "1.1"}, std::pair{"--objective", "compute"},
          std::pair{"--max-lent-bytes", "0"}, std::pair{"--max-lent-weight-bytes", "0"}}) {
      const Answer answer =
          run_program({command, three, sample, option, value, "--allocation", "file"});
      EXPECT_EQ(answer.exit_code, 2);
      EXPECT_EQ(answer.out, "");
      EXPECT_EQ(answer.err,
                fmt::format("layerpipe: {}: {} excludes --allocation\n", command, option));
    }
  }
}

TEST(Allocation, IsNotOverwritten) {
  const TemporaryFile file("kept.json", "{}");
  for (const char* command : {"simulate", "schedule", "compare"}) {
    const Answer answer =
        run_program({command, three, sample, "--allocation", file.path(), "--output", file.path()});
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_THAT(answer.err, HasSubstr("name the same file"));
  }
  EXPECT_EQ(content(file.path()), "{}");
}

struct OddFile {
  std::string name;
  std::string text;
  std::string complaint;
};

// A million operations are 50 MB.
TEST(Allocation, OddFilesAreOneLine) {
  const std::string head =
      R"({"schedule":"layerpipe","options":{"split":"ideal"},"processors":[{"name":"p0",)"
      R"("operations":[)";
  const std::string operation = R"({"operation":"forward","layer":"conv1","fraction":1})";
  std::string million = head;
  for (int i = 0; i < 1'000'000; ++i) million += operation + ",";
  const std::vector<OddFile> files{
      {"empty", "", ":1:1: not JSON: unexpected end of input (expected '[', '{', or a literal)"},
      {"cut", head + "{", ":1:95: not JSON: unexpected end of input (expected string literal)"},
      {"deep", std::string(100'000, '['), ":1:17: nested too deeply (expected at most 16 levels)"},
      {"million", million, ": too large (expected at most 25,165,824 bytes)"},
      {"utf16", std::string("\xFF\xFE{\0", 4), ":1:1: not UTF-8 (expected a text file)"},
      {"mark", "\xEF\xBB\xBF{}", ":1:1: missing key 'schedule' (expected in the file)"},
  };
  for (const OddFile& odd : files) {
    const TemporaryFile file(odd.name, odd.text);
    const Answer answer = run_program({"simulate", three, sample, "--allocation", file.path()});
    EXPECT_EQ(answer.exit_code, 3);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err, "layerpipe: " + file.path() + odd.complaint + "\n");
  }
  const Answer folder = run_program({"simulate", three, sample, "--allocation", "/tmp"});
  EXPECT_EQ(folder.exit_code, 3);
  EXPECT_EQ(folder.err, "layerpipe: /tmp: is a directory (expected a file)\n");
}

}  // namespace
}  // namespace layerpipe::tests
