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

TEST(Output, DetectsThatTheStandardOutputCannotBeWritten) {
  const Answer full = run_program({"--help"}, "> /dev/full");
  EXPECT_EQ(full.err, "layerpipe: standard output: cannot be written: No space left on device\n");
  EXPECT_EQ(full.exit_code, 74);
  EXPECT_EQ(run_program({"platform"}, ">&-").exit_code, 74);
}

// The reader has gone before 4096 processors (about 1 MB, more than a pipe holds) are written.
TEST(Output, DetectsAClosedPipe) {
  const Answer answer =
      run_program({"platform", "--processors", "4096", "--topology", "chain"}, "| true");
  EXPECT_EQ(answer.err, "layerpipe: standard output: cannot be written: Broken pipe\n");
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
