#include "sim/process/run_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::process {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(RunJobs, HandsOnTheLinesOfAll) {
  for (const std::size_t at_once : {1U, 2U, 9U}) {
    std::vector<std::string> lines;
    EXPECT_EQ(run_jobs({.count = 3,
                        .at_once = at_once,
                        .work =
                            [](std::size_t job, const auto& send) {
                              send("first of " + std::to_string(job));
                              send(std::string(job * 100'000, 'x'));
                            },
                        .receive = [&](const std::string& line) { lines.push_back(line); }}),
              0);
    EXPECT_THAT(lines,
                UnorderedElementsAre("first of 0", "", "first of 1", std::string(100'000, 'x'),
                                     "first of 2", std::string(200'000, 'x')));
  }
}

TEST(RunJobs, WithoutJobsIsDone) {
  EXPECT_EQ(run_jobs({.count = 0, .at_once = 2, .work = {}, .receive = {}}), 0);
}

/// What comes of three jobs, one of which does `work` while the others wait.
std::string failure(const std::function<void()>& work) {
  try {
    static_cast<void>(run_jobs({.count = 3,
                                .at_once = 3,
                                .work =
                                    [&](std::size_t job, const auto&) {
                                      if (job == 1) return work();
                                      std::this_thread::sleep_for(1h);
                                    },
                                .receive = [](const std::string&) {}}));
  } catch (const Error& error) {
    return std::to_string(error.exit_code()) + " " + error.what();
  }
  return "none";
}

TEST(RunJobs, ThrowsWhatAJobThrows) {
  EXPECT_EQ(failure([] { throw InputError("a.yaml:1: wrong"); }), "3 a.yaml:1: wrong");
  EXPECT_EQ(failure([] { throw std::runtime_error("odd"); }), "70 odd");
}

TEST(RunJobs, SaysWhichProcessDiedAndDoesTheOthers) {
  std::vector<std::string> lines;
  EXPECT_EQ(run_jobs({.count = 4,
                      .at_once = 2,
                      .work =
                          [](std::size_t job, const auto& send) {
                            if (job == 1) std::abort();
                            if (job == 2) std::exit(0);
                            send("done " + std::to_string(job));
                          },
                      .receive = [&](const std::string& line) { lines.push_back(line); },
                      .lose =
                          [&](std::size_t job, const std::string& why) {
                            lines.push_back(std::to_string(job) + ": " + why);
                          }}),
            0);
  EXPECT_THAT(lines, UnorderedElementsAre("done 0", "1: a process was ended by SIGABRT",
                                          "2: a process left without an answer", "done 3"));
}

TEST(RunJobs, EndsWithASignal) {
  const pid_t self = ::getpid();
  const int signal = run_jobs({.count = 2,
                               .at_once = 2,
                               .work =
                                   [self](std::size_t job, const auto&) {
                                     if (job == 0) ::kill(self, SIGTERM);
                                     std::this_thread::sleep_for(1h);
                                   },
                               .receive = [](const std::string&) {}});
  EXPECT_EQ(signal, SIGTERM);
  // Signals do again what they did before.
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(::sigismember(&blocked, SIGTERM), 0);
}

}  // namespace
}  // namespace layerpipe::process
