#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

TEST(Output, GoesToAFileOrTheStandardOutput) {
  const std::string path = temporary_path("platform.xml");
  const Answer to_file = run_program({"platform", "--output", path});
  EXPECT_EQ(to_file.exit_code, 0);
  EXPECT_EQ(to_file.out, "");
  EXPECT_EQ(content(path), run_program({"platform"}).out);
  std::remove(path.c_str());
}

TEST(Output, ToADirectoryOrAFullDiskIsExitCode74) {
  const Answer directory = run_program({"platform", "--output", "workloads"});
  EXPECT_EQ(directory.err, "layerpipe: workloads: cannot be written: Is a directory\n");
  EXPECT_EQ(directory.exit_code, 74);
  const Answer full = run_program({"platform", "--output", "/dev/full"});
  EXPECT_EQ(full.err, "layerpipe: /dev/full: cannot be written: No space left on device\n");
  EXPECT_EQ(full.exit_code, 74);
}

TEST(Output, NeedsAName) {
  for (const char* command : {"simulate", "compare", "profile", "schedule", "theory"}) {
    const Answer answer = run_program({command, "three-32x32", "sample4", "--output", ""});
    EXPECT_EQ(answer.err, "layerpipe: '': cannot be written: No such file or directory\n");
    EXPECT_EQ(answer.exit_code, 74);
  }
}

// Files of at most 1 block of 512 bytes, as on a disk that fills up in the middle.
void expect_whole_or_absent(std::vector<std::string> words, const std::string& full,
                            const std::string& other = "") {
  words.insert(words.begin() + 1, {"three-32x32", "sample4"});
  const Answer answer = run_program(words, "", "ulimit -f 1; ");
  EXPECT_EQ(answer.exit_code, 74);
  EXPECT_EQ(answer.err, "layerpipe: " + full + ": cannot be written: File too large\n");
  EXPECT_EQ(answer.out, "");
  EXPECT_FALSE(std::filesystem::exists(full));
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST(Output, IsWholeOrAbsentWhereThereIsNoRoom) {
  const std::string report = temporary_path("report.json");
  for (const char* command : {"simulate", "compare", "theory", "schedule", "profile"}) {
    expect_whole_or_absent({command, "--output", report, "--format", "json"}, report);
  }
  for (const char* suffix : {".paje", ".trace", ".json", ".csv", ".svg"}) {
    const std::string trace = temporary_path(std::string("full") + suffix);
    expect_whole_or_absent({"simulate", "--trace", trace, "--output", report, "--iterations", "5"},
                           trace, report);
  }
  const std::string picture = temporary_path("both.svg");
  expect_whole_or_absent({"compare", "--trace", picture, "--output", report, "--iterations", "5"},
                         picture, report);
}

TEST(Output, TellsTheExitCodeEvenIfNobodyHears) {
  for (const char* redirection : {"2>&-", "2> /dev/full", "0<&- 1>&- 2>&-"}) {
    EXPECT_EQ(run_program({"check", "no-such.yaml"}, redirection).exit_code,
              std::string(redirection).starts_with("0") ? 74 : 3)
        << redirection;
  }
}

TEST(Output, DetectsThatTheStandardOutputCannotBeWritten) {
  const Answer full = run_program({"--help"}, "> /dev/full");
  EXPECT_EQ(full.err, "layerpipe: standard output: cannot be written: No space left on device\n");
  EXPECT_EQ(full.exit_code, 74);
  EXPECT_EQ(run_program({"platform"}, ">&-").exit_code, 74);
}

TEST(Output, ToItsOwnDescriptorIsWrittenThere) {
  EXPECT_EQ(run_program({"platform", "--output", "/dev/stdout"}).out,
            run_program({"platform"}).out);
}

TEST(Output, OfABadInputIsNotCreated) {
  const std::string path = temporary_path("profile.txt");
  const Answer answer =
      run_program({"profile", "platforms/three-32x32.xml", "no-such.yaml", "--output", path});
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace layerpipe::tests
