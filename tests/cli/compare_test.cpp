#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;

Answer compare(std::vector<std::string> options) {
  options.insert(options.begin(), {"compare", "three-32x32", "sample4"});
  return run_program(options);
}

std::vector<std::string> texts(const std::string& path, const char* query) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_file(path.c_str()));
  std::vector<std::string> result;
  for (const auto& found : document.select_nodes(query)) {
    result.emplace_back(found.node().child_value());
  }
  return result;
}

// Periods: reference figures R4.
TEST(ComparePicture, ShowsSchedulesOneAboveTheOther) {
  const std::string path = temporary_path("compare.svg");
  const Answer answer = compare({"--schedules", "pipedream,layerpipe", "--iterations", "30",
                                 "--trace", path, "--trace-iterations", "10:11"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("\nlayerpipe "));
  EXPECT_EQ(texts(path, "//tspan[@class='schedule']"),
            (std::vector<std::string>{"pipedream", "layerpipe"}));
  const auto parameters = texts(path, "//tspan[@class='schedule']/following-sibling::tspan");
  ASSERT_EQ(parameters.size(), 2U);
  EXPECT_THAT(parameters[0], HasSubstr("period 43,434,336 cycles (43.4 ms)"));
  EXPECT_THAT(parameters[1], HasSubstr("period 32,007,170 cycles (32.0 ms)"));
  std::remove(path.c_str());
}

TEST(ComparePicture, LeavesTheReportAsItIs) {
  const std::string path = temporary_path("same.svg");
  const Answer with = compare({"--trace", path, "--trace-iterations", "3:3", "--format", "csv"});
  EXPECT_EQ(with.out, compare({"--format", "csv"}).out);
  std::remove(path.c_str());
}

// Thirteen operations a minibatch. A billion of them would take hours.
TEST(ComparePicture, IsRefusedBeforeTheRunsIfItIsTooLarge) {
  const std::string path = temporary_path("large.svg");
  for (const char* command : {"compare", "simulate"}) {
    const Answer answer =
        run_program({command, "three-32x32", "sample4", "--iterations", "1000000000", "--trace",
                     path, "--trace-iterations", "0:999999999"});
    EXPECT_EQ(answer.exit_code, 4);
    EXPECT_THAT(answer.err, HasSubstr("layerpipe: 1,000,000,000 minibatches of 13 operations are "
                                      "too many for a picture"));
    EXPECT_THAT(answer.err, HasSubstr("--trace-iterations A:B with fewer than 153 minibatches"));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

// 200 minibatches of 13 operations: a picture has room for 2,000.
TEST(ComparePicture, ShowsAPartOfALongRunAndSaysWhich) {
  const std::string path = temporary_path("part.svg");
  for (const char* command : {"compare", "simulate"}) {
    const Answer answer = run_program({command, "three-32x32", "sample4", "--trace", path});
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_EQ(answer.err,
              "layerpipe: a picture has no room for the whole run: it shows minibatches 100 to "
              "103 (--trace-iterations A:B shows others)\n");
    EXPECT_THAT(content(path), testing::ContainsRegex("minibatch 100[^0-9]"));
    std::remove(path.c_str());
  }
}

TEST(ComparePicture, LeavesOtherTracesWhole) {
  const std::string picture = temporary_path("part.svg");
  const std::string trace = temporary_path("whole.csv");
  const std::string alone = temporary_path("alone.csv");
  const auto simulate = [](std::vector<std::string> traces) {
    std::vector<std::string> words{"simulate", "three-32x32", "sample4", "--iterations", "200"};
    words.insert(words.end(), traces.begin(), traces.end());
    EXPECT_EQ(run_program(words).exit_code, 0);
  };
  simulate({"--trace", alone});
  simulate({"--trace", trace, "--trace", picture});
  EXPECT_EQ(content(trace), content(alone));
  EXPECT_THAT(content(picture), testing::Not(testing::ContainsRegex("minibatch 0[^0-9]")));
  simulate({"--trace", trace, "--trace", picture, "--trace-iterations", "10:11"});
  EXPECT_LT(content(trace).size(), content(alone).size() / 50);
  EXPECT_THAT(content(picture), testing::ContainsRegex("minibatch 10[^0-9]"));
  for (const std::string& file : {picture, trace, alone}) {
    std::filesystem::remove(file);
    std::filesystem::remove(file + ".provenance.json");
  }
}

TEST(ComparePicture, ShowsAllOfAShortRun) {
  const std::string path = temporary_path("short.svg");
  const Answer answer =
      run_program({"simulate", "three-32x32", "sample4", "--iterations", "5", "--trace", path});
  EXPECT_EQ(answer.err, "");
  EXPECT_THAT(content(path), testing::ContainsRegex("minibatch 0[^0-9]"));
  std::remove(path.c_str());
}

TEST(ComparePicture, IsTheOnlyTraceOfSeveralRuns) {
  const Answer answer = compare({"--trace", "both.json"});
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("'both.json' is no picture, and other traces hold one run"));
  EXPECT_THAT(compare({"--trace", "both"}).err, HasSubstr("has no suffix of a trace"));
  EXPECT_EQ(compare({"--trace-iterations", "1:2"}).exit_code, 2);
}

TEST(ComparePicture, IsWholeOrAbsent) {
  const std::string full = temporary_path("full.svg");
  const std::string other = temporary_path("other.svg");
  std::filesystem::create_symlink("/dev/full", full);
  for (const auto& [first, second] : {std::pair{full, other}, std::pair{other, full}}) {
    const Answer answer =
        compare({"--trace", first, "--trace", second, "--trace-iterations", "3:3"});
    EXPECT_EQ(answer.exit_code, 74);
    EXPECT_EQ(answer.out, "");
    EXPECT_FALSE(std::filesystem::exists(other));
  }
  std::remove(full.c_str());
}

}  // namespace
}  // namespace layerpipe::tests
