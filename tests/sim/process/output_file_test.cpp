#include "sim/process/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "workloads/base/error.hpp"

namespace layerpipe::process {
namespace {

namespace fs = std::filesystem;

/// An empty directory for each test.
class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest()
      : directory_(fs::path(testing::TempDir()) /
                   testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(directory_);
    fs::create_directory(directory_);
  }
  ~OutputFileTest() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string path(const char* name) const { return (directory_ / name).string(); }

  [[nodiscard]] static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  [[nodiscard]] std::ptrdiff_t file_count() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }

 private:
  fs::path directory_;
};

TEST_F(OutputFileTest, AppearsWhenItIsCommitted) {
  OutputFile file(path("a"));
  file.stream() << "text";
  EXPECT_FALSE(fs::exists(path("a")));
  file.commit();
  EXPECT_EQ(content(path("a")), "text");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(OutputFileTest, LeavesNothingWhenItIsNot) {
  std::ofstream(path("a")) << "old";
  {
    OutputFile file(path("a"));
    file.stream() << "new" << std::flush;
  }
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(OutputFileTest, KeepsModeAndSymbolicLink) {
  std::ofstream(path("target")) << "old";
  ::chmod(path("target").c_str(), 0600);
  fs::create_symlink(path("target"), path("link"));
  OutputFile file(path("link"));
  file.stream() << "new";
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("target")), "new");
  EXPECT_EQ(fs::status(path("target")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputFileTest, RefusesADirectoryAndAMissingOne) {
  EXPECT_THROW(OutputFile(path("")), OutputError);
  EXPECT_THROW(OutputFile(path("no/such")), OutputError);
  EXPECT_THROW(OutputFile(""), OutputError);
}

TEST_F(OutputFileTest, SaysWhyADeviceCannotBeWritten) {
  OutputFile file("/dev/full");
  file.stream() << "text";
  try {
    file.commit();
    FAIL() << "expected an OutputError";
  } catch (const OutputError& error) {
    EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
    EXPECT_EQ(error.exit_code(), 74);
  }
}

TEST_F(OutputFileTest, WritesADeviceDirectly) {
  OutputFile file("/dev/null");
  file.stream() << "text";
  EXPECT_NO_THROW(file.commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, WritesMoreThanItsBufferInOrder) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  OutputFile file(path("a"));
  file.stream() << text;
  file.commit();
  EXPECT_EQ(content(path("a")), text);
}

}  // namespace
}  // namespace layerpipe::process
