#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;

/// True once `condition` holds, false if it does not within some seconds.
bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// The first child of process `pid`; 0 if there is none.
pid_t child_of(pid_t pid) {
  pid_t child = 0;
  std::ifstream(fmt::format("/proc/{}/task/{}/children", pid, pid)) >> child;
  return child;
}

bool is_running(pid_t pid) {
  std::string field;
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  return static_cast<bool>(stat >> field >> field >> field) && field != "Z" && field != "X";
}

/// A simulation of hours that writes a report and two traces into a folder of its own.
class LongRun : public testing::Test {
 protected:
  LongRun() : folder_(temporary_path("long-run")) {
    fs::create_directory(folder_);
    std::ofstream(report()) << "old";
    pid_ = ::fork();
    if (pid_ == 0) become_the_program();
    EXPECT_TRUE(comes_true([&] { return is_simulating(); }));
  }
  ~LongRun() override {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    fs::remove_all(folder_);
    fs::remove(errors());
  }

  [[nodiscard]] fs::path report() const { return folder_ / "report.json"; }
  [[nodiscard]] pid_t program() const { return pid_; }

  /// Status as of waitpid.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }

  /// The report from before is all that there is.
  void expect_untouched() const {
    EXPECT_EQ(content(report().string()), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  }

  [[nodiscard]] std::string complaint() const { return content(errors()); }

 private:
  [[nodiscard]] std::string errors() const { return folder_.string() + ".err"; }

  [[noreturn]] void become_the_program() const {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(::open(errors().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    const std::string paje = (folder_ / "run.paje").string();
    const std::string csv = (folder_ / "run.csv").string();
    ::execl(LAYERPIPE_PROGRAM, "layerpipe", "simulate", "three-32x32", "sample4", "--iterations",
            "1000000000", "--output", report().c_str(), "--format", "json", "--trace", paje.c_str(),
            "--trace", csv.c_str(), nullptr);
    ::_exit(127);
  }

  /// The loading of a platform has a process as well, but that writes no trace.
  [[nodiscard]] bool is_simulating() const {
    const pid_t child = child_of(pid_);
    if (child == 0) return false;
    std::size_t traces = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", child), error)) {
      if (fs::file_size(entry, error) > 0 &&
          fs::read_symlink(entry, error).string().starts_with(folder_.string())) {
        ++traces;
      }
    }
    return traces == 2;
  }

  fs::path folder_;
  pid_t pid_ = 0;
};

class Interrupted : public LongRun, public testing::WithParamInterface<int> {};

// A shell makes exit code 128 + signal of it: 130 after Ctrl-C.
TEST_P(Interrupted, LeavesNeitherFilesNorProcesses) {
  const pid_t child = child_of(program());
  ::kill(program(), GetParam());
  const int status = wait();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), GetParam());
  EXPECT_TRUE(comes_true([&] { return !is_running(child); }));
  expect_untouched();
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL));

TEST_F(LongRun, TellsThatItsSimulationWasKilled) {
  ::kill(child_of(program()), SIGKILL);
  const int status = wait();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 70);
  EXPECT_EQ(complaint(), "layerpipe: a process was ended by SIGKILL\n");
  expect_untouched();
}

}  // namespace
}  // namespace layerpipe::tests
