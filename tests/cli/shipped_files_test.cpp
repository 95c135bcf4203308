#include "sim/cli/shipped_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/run_program.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr std::array both{shipped_platforms, shipped_workloads};
constexpr std::array workloads_only{shipped_workloads};

/// A data folder with two platforms and a workload.
class ShippedFiles : public testing::Test {
 protected:
  ShippedFiles() {
    for (const char* file :
         {"platforms/p10.xml", "platforms/p9.xml", "platforms/notes.txt", "workloads/net.yaml"}) {
      fs::create_directories((data_ / file).parent_path());
      std::ofstream(data_ / file) << file;
    }
  }
  ~ShippedFiles() override { fs::remove_all(data_); }

  [[nodiscard]] std::string error(std::span<const ShippedKind> kinds,
                                  const std::string& argument) const {
    try {
      return "no error but " + input_file(data_, kinds, argument);
    } catch (const InputError& error) {
      return error.what();
    }
  }

  fs::path data_ = tests::temporary_path("data");
};

TEST_F(ShippedFiles, AreThoseWithTheExtensionInNaturalOrder) {
  EXPECT_THAT(shipped_files(data_, shipped_platforms),
              ElementsAre(data_ / "platforms/p9.xml", data_ / "platforms/p10.xml"));
  EXPECT_THAT(shipped_files(data_, shipped_workloads), ElementsAre(data_ / "workloads/net.yaml"));
}

TEST_F(ShippedFiles, NeedTheirFolder) {
  EXPECT_THROW(static_cast<void>(shipped_files(data_ / "none", shipped_platforms)), InputError);
}

TEST_F(ShippedFiles, AreFoundByName) {
  EXPECT_EQ(input_file(data_, both, "net"), data_ / "workloads/net.yaml");
  EXPECT_EQ(input_file(data_, both, "p9"), data_ / "platforms/p9.xml");
}

TEST_F(ShippedFiles, AreNotFoundByWhatLooksLikeAPath) {
  for (const char* path : {"nett.yaml", "./net", "workloads/net", "p9.yaml", "../workloads/net"}) {
    EXPECT_EQ(find_shipped(data_, both, path), std::nullopt) << path;
    EXPECT_EQ(input_file(data_, both, path), path);
  }
}

TEST_F(ShippedFiles, AreSuggestedForThePathOfNoFile) {
  EXPECT_EQ(error(both, "net.yaml"), "net.yaml: no such file (the shipped one is named 'net')");
  EXPECT_EQ(error(both, "x/p9.xml"), "x/p9.xml: no such file (the shipped one is named 'p9')");
  EXPECT_EQ(error(workloads_only, "p9.xml"),
            "no file and no shipped workload is named 'p9.xml' (expected a file, or a name from "
            "`layerpipe list`)");
  const std::string here = data_ / "workloads/net.yaml";
  EXPECT_EQ(input_file(data_, both, here), here);
}

TEST_F(ShippedFiles, AreOfTheKindAskedFor) {
  EXPECT_EQ(error(workloads_only, "p9"),
            "'p9' is a platform (expected a workload; are platform and workload swapped?)");
}

// A folder cannot be meant where a shipped file may be, and is left to the reader where none is.
TEST_F(ShippedFiles, StandBehindFilesAndBeforeFolders) {
  const fs::path before = fs::current_path();
  fs::current_path(data_);
  std::ofstream("net") << "a file";
  fs::create_directory("p9");
  EXPECT_EQ(input_file(data_, both, "net"), "net");
  EXPECT_EQ(input_file(data_, both, "p9"), data_ / "platforms/p9.xml");
  EXPECT_EQ(input_file(data_, both, "platforms"), "platforms");
  fs::current_path(before);
}

TEST_F(ShippedFiles, HaveTheirNearestNameSuggested) {
  EXPECT_EQ(error(both, "nett"),
            "no file and no shipped platform or workload is named 'nett' (nearest: net; "
            "`layerpipe list` names all)");
  EXPECT_EQ(error(workloads_only, ""),
            "no file and no shipped workload is named '' (expected a file, or a name from "
            "`layerpipe list`)");
}

// The test program, too, lies in a folder beside the data of the build.
TEST(DataFolder, HasWhatTheRepositoryShips) {
  for (const ShippedKind& kind : both) {
    const auto files = shipped_files(data_folder(), kind);
    ASSERT_FALSE(files.empty());
    for (const fs::path& file : files) {
      EXPECT_TRUE(
          fs::equivalent(file, fs::path(LAYERPIPE_SOURCE_DIR) / kind.folder / file.filename()));
    }
  }
}

// `check` takes names of both kinds.
TEST(DataFolder, HasNoNameTwice) {
  std::vector<std::string> names;
  for (const ShippedKind& kind : both) {
    for (const fs::path& file : shipped_files(data_folder(), kind)) names.push_back(file.stem());
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace layerpipe::cli

namespace layerpipe::tests {
namespace {

TEST(ShippedNames, AreTakenByEveryCommandThatReads) {
  for (const char* command : {"simulate", "compare", "profile", "schedule"}) {
    const Answer by_name = run_program({command, "three-32x32", "sample4"});
    EXPECT_EQ(by_name.exit_code, 0) << by_name.err;
    EXPECT_EQ(by_name.out,
              run_program({command, "platforms/three-32x32.xml", "workloads/sample4.yaml"}).out);
  }
  EXPECT_THAT(run_program({"check", "eight-128x128", "vgg16"}).out,
              testing::HasSubstr("\nvgg16          workload  vgg16: 38 layers"));
}

TEST(ShippedNames, ThatNothingHasAreExitCode3) {
  const Answer answer = run_program({"simulate", "eigth-32x32", "sample4"});
  EXPECT_EQ(answer.err,
            "layerpipe: no file and no shipped platform is named 'eigth-32x32' (nearest: "
            "eight-32x32; `layerpipe list` names all)\n");
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.exit_code, 3);
}

TEST(ShippedNames, AreSuggestedForTheirFiles) {
  const Answer answer = run_program({"simulate", "three-32x32", "resnet50.yaml"});
  EXPECT_EQ(answer.err,
            "layerpipe: resnet50.yaml: no such file (the shipped one is named 'resnet50')\n");
  EXPECT_EQ(answer.exit_code, 3);
}

// Were it not refused so early, the request for 99 processors would be, with exit code 4.
TEST(ShippedNames, CannotBeOverwritten) {
  const Answer answer = run_program({"profile", "three-32x32", "sample4", "--processors", "99",
                                     "--output", "workloads/sample4.yaml"});
  EXPECT_EQ(answer.err,
            "layerpipe: WORKLOAD and --output name the same file (expected two different ones)\n");
  EXPECT_EQ(answer.exit_code, 2);
}

}  // namespace
}  // namespace layerpipe::tests
