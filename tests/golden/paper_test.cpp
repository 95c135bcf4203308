#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/golden/console_page.hpp"

namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;

const fs::path root = LAYERPIPE_SOURCE_DIR;
const fs::path paper = root / "docs/paper";

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::string script(const std::string& arguments) {
  return "python3 '" + (paper / "paper.py").string() + "' " + arguments;
}

std::vector<fs::path> files(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  return result;
}

/// A folder of this process, as tests run side by side. It is removed with this object.
struct Folder {
  Folder() : path(fs::path(testing::TempDir()) / fmt::format("layerpipe-paper-{}", ::getpid())) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }

  fs::path path;
};

TEST(Paper, TablesAreThoseOfTheResults) {
  const Folder folder;
  const fs::path copy = folder.path / "validation.md";
  fs::copy_file(root / "docs/validation.md", copy);
  ASSERT_EQ(std::system(script("tables '" + copy.string() + "'").c_str()), 0);
  EXPECT_EQ(read(copy), read(root / "docs/validation.md"))
      << "docs/validation.md is not up to date: docs/paper/paper.py tables docs/validation.md";
}

TEST(Paper, ResultsAreThoseOfTheSpecs) {
  const Console console;
  for (const fs::path& spec : files(paper, ".yaml")) {
    const std::vector<std::string> points =
        lines(console.run("layerpipe sweep '" + spec.string() + "' --list"));
    const std::vector<std::string> rows = lines(read(fs::path(spec).replace_extension(".csv")));
    ASSERT_EQ(rows.size(), points.size()) << spec;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_THAT(rows[i], testing::StartsWith(points[i] + ',')) << spec;
    }
  }
}

// What is to be simulated for Table IV: 2 networks, 4 arrays, 2 to 12 processors, 5 batches, 2
// schedules.
TEST(Paper, HasEightHundredAndEightyPoints) {
  EXPECT_EQ(lines(read(paper / "speedup.csv")).size(), 1U + 2 * 4 * 11 * 5 * 2);
}

TEST(Paper, FiguresAreDrawn) {
  if (std::system("command -v gnuplot > /dev/null") != 0) {
    GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  }
  const Folder folder;
  ASSERT_EQ(std::system(script("figures '" + folder.path.string() + "'").c_str()), 0);
  const std::vector<fs::path> shown = files(paper, ".svg");
  EXPECT_GE(shown.size(), 8U);
  EXPECT_EQ(files(folder.path, ".svg").size(), shown.size());
  for (const fs::path& file : shown) {
    const fs::path svg = folder.path / file.filename();
    const std::string text = read(svg);
    EXPECT_THAT(text, testing::HasSubstr("<svg")) << svg;
    EXPECT_THAT(text, testing::HasSubstr("</svg>")) << svg;
    // One group for each curve or kind of bars, which gnuplot names gnuplot_plot_1 and so on.
    EXPECT_THAT(text, testing::HasSubstr("gnuplot_plot_2")) << svg;
    EXPECT_THAT(read(fs::path(svg).replace_extension(".png")), testing::StartsWith("\x89PNG"));
  }
}

}  // namespace
}  // namespace layerpipe::tests
