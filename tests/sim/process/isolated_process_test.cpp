#include "sim/process/isolated_process.hpp"

#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "workloads/base/resource_error.hpp"

namespace layerpipe::process {
namespace {

using testing::HasSubstr;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

std::string nothing() { return {}; }

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* const directory = ::opendir("/proc/self/fd");
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

template <typename Work>
ProcessDeath death_of(Work work, std::optional<std::chrono::duration<double>> timeout = {}) {
  try {
    static_cast<void>(run_isolated(work, timeout));
  } catch (const ProcessDeath& death) {
    return death;
  }
  ADD_FAILURE() << "it lived";
  return {0, "lived", ""};
}

class IsolatedProcess : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(open_descriptors(), descriptors_);
    EXPECT_FALSE(has_children());
  }

 private:
  std::size_t descriptors_ = open_descriptors();
};

TEST_F(IsolatedProcess, ReturnsTheBytes) {
  const std::string bytes("a\0b\n\xFF", 5);
  EXPECT_EQ(run_isolated([&] { return bytes; }), bytes);
  EXPECT_EQ(run_isolated(nothing), "");
}

TEST_F(IsolatedProcess, ReturnsMoreThanAPipeHolds) {
  constexpr std::size_t size = 100'000'000;
  const std::string result = run_isolated([] { return std::string(size, 'x'); });
  EXPECT_EQ(result.size(), size);
  EXPECT_EQ(result.find_first_not_of('x'), std::string::npos);
}

TEST_F(IsolatedProcess, LeavesThisProcessAsItIs) {
  int value = 1;
  EXPECT_EQ(run_isolated([&] { return std::to_string(++value); }), "2");
  EXPECT_EQ(value, 1);
}

template <typename Kind>
void expect_same_error() {
  try {
    static_cast<void>(run_isolated([]() -> std::string { throw Kind("f.yaml:1: two\twords"); }));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Kind& error) {
    EXPECT_STREQ(error.what(), "f.yaml:1: two\twords");
    EXPECT_EQ(error.exit_code(), Kind("").exit_code());
  }
}

TEST_F(IsolatedProcess, RethrowsEachKindOfError) {
  expect_same_error<UsageError>();
  expect_same_error<InputError>();
  expect_same_error<InfeasibleError>();
  expect_same_error<DeadlockError>();
  expect_same_error<InternalError>();
  expect_same_error<OutputError>();
  expect_same_error<ResourceError>();
}

/// However it is told: by an exception, or in what a process wrote that was then ended.
TEST_F(IsolatedProcess, LackOfMemoryIsNoDefect) {
  const auto exit_code_of = [](const std::function<std::string()>& work) {
    try {
      static_cast<void>(run_isolated(work));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("out of memory (expected more of it"));
      return error.exit_code();
    }
    return 0;
  };
  EXPECT_EQ(exit_code_of([]() -> std::string { throw std::bad_alloc(); }), 71);
  EXPECT_EQ(exit_code_of([]() -> std::string {
              std::fputs("terminate called after throwing an instance of 'std::bad_alloc'\n",
                         stderr);
              std::abort();
            }),
            71);
}

TEST_F(IsolatedProcess, LackOfDescriptorsIsNoDefect) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit least{3, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &least);
  std::string message;
  try {
    static_cast<void>(run_isolated(nothing));
  } catch (const ResourceError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(message,
            "no pipe to a new process: Too many open files (expected fewer open files, a higher "
            "limit (ulimit -n) or fewer --jobs)");
}

TEST_F(IsolatedProcess, MakesOtherExceptionsInternalErrors) {
  const auto message_of = [](const std::function<std::string()>& work) -> std::string {
    try {
      static_cast<void>(run_isolated(work));
    } catch (const InternalError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message_of([]() -> std::string { throw std::logic_error("one\ntwo"); }), "one");
  EXPECT_EQ(message_of([]() -> std::string { throw 42; }), "unknown exception");
}

TEST_F(IsolatedProcess, TellsTheSignalAndTheComplaint) {
  const ProcessDeath death = death_of([] {
    std::fputs("\n[0.000000] a.cpp:1: [root/INFO] all is well\nsomething broke\nand more\n",
               stderr);
    std::raise(SIGKILL);
    return std::string();
  });
  EXPECT_EQ(death.signal(), SIGKILL);
  EXPECT_EQ(death.complaint(), "something broke");
  EXPECT_STREQ(death.what(), "a process was ended by SIGKILL: something broke");
}

TEST_F(IsolatedProcess, TellsOfAnExitThatTheWorkMade) {
  const ProcessDeath death = death_of([]() -> std::string { std::exit(2); });
  EXPECT_EQ(death.signal(), 0);
  EXPECT_STREQ(death.what(), "a process left with exit code 2");
  EXPECT_STREQ(death_of([]() -> std::string { std::exit(0); }).what(),
               "a process left with exit code 0");
}

TEST_F(IsolatedProcess, ReadsAllThatIsWrittenToStandardError) {
  const std::string result = run_isolated([] {
    const std::string line(999, 'e');
    for (int i = 0; i < 10'000; ++i) std::fprintf(stderr, "%s\n", line.c_str());
    return std::string("done");
  });
  EXPECT_EQ(result, "done");
}

TEST_F(IsolatedProcess, KillsAfterTheTimeout) {
  const auto begin = std::chrono::steady_clock::now();
  const ProcessDeath death = death_of(
      [] {
        std::this_thread::sleep_for(60s);
        return std::string();
      },
      100ms);
  EXPECT_EQ(death.signal(), SIGKILL);
  EXPECT_THAT(death.what(), HasSubstr("gave no answer within 0.1 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
  EXPECT_EQ(run_isolated([] { return std::string("in time"); }, 1e30s), "in time");
}

TEST_F(IsolatedProcess, KillsWhatNeverStopsTalking) {
  const ProcessDeath death = death_of(
      []() -> std::string {
        while (true) std::fputs("still here\n", stderr);
      },
      100ms);
  EXPECT_STREQ(death.what(), "a process gave no answer within 0.1 s: still here");
}

// A handler without SA_RESTART, called every millisecond while the parent waits.
TEST_F(IsolatedProcess, GoesOnAfterInterruptions) {
  struct sigaction handler {};
  struct sigaction before {};
  handler.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &handler, &before);
  ::ualarm(1000, 1000);
  const std::string result = run_isolated([] {
    ::ualarm(0, 0);
    std::this_thread::sleep_for(200ms);
    return std::string(10'000'000, 'x');
  });
  ::ualarm(0, 0);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(result.size(), 10'000'000U);
}

// The process in between is killed while its own child sleeps: that one has to go with it.
TEST_F(IsolatedProcess, DiesWithItsParent) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const ProcessDeath death = death_of(
      [&] {
        ::close(ends[0]);
        return run_isolated([&] {
          static_cast<void>(::write(ends[1], "x", 1));
          std::this_thread::sleep_for(60s);
          return std::string();
        });
      },
      500ms);
  EXPECT_EQ(death.signal(), SIGKILL);
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);  // it had begun
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // nobody holds the other end any more
  ::close(ends[0]);
}

TEST_F(IsolatedProcess, DoesNotRunTheHandlersOfItsParent) {
  struct sigaction handler {};
  struct sigaction before {};
  handler.sa_handler = [](int) { ::_exit(7); };
  ::sigaction(SIGINT, &handler, &before);
  const ProcessDeath death = death_of([] {
    std::raise(SIGINT);
    return std::string();
  });
  ::sigaction(SIGINT, &before, nullptr);
  EXPECT_EQ(death.signal(), SIGINT);
}

// The kernel then keeps no exit status.
TEST_F(IsolatedProcess, WorksWhileSigchldIsIgnored) {
  EXPECT_EQ(run_isolated([] {
              std::signal(SIGCHLD, SIG_IGN);
              return run_isolated([] { return std::string("answer"); });
            }),
            "answer");
}

/// What a program that does `work` writes to its standard output, which is a file.
template <typename Work>
std::string output_of(Work work) {
  const std::string path = testing::TempDir() + "/isolated_output_" + std::to_string(::getpid());
  return run_isolated([&] {
    static_cast<void>(std::freopen(path.c_str(), "w+", stdout));
    work();
    std::fflush(stdout);
    std::rewind(stdout);
    std::string text(1000, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), stdout));
    ::unlink(path.c_str());
    return text;
  });
}

TEST_F(IsolatedProcess, WritesNoBufferTwice) {
  EXPECT_EQ(output_of([] {
              std::fputs("once\n", stdout);
              static_cast<void>(run_isolated([] {
                std::fputs("hidden\n", stdout);
                std::fflush(stdout);
                return std::string();
              }));
              EXPECT_THROW(static_cast<void>(run_isolated([]() -> std::string { std::exit(1); })),
                           ProcessDeath);
            }),
            "once\n");
}

TEST_F(IsolatedProcess, WorksWithoutStandardStreams) {
  EXPECT_EQ(run_isolated([] {
              for (const int fd : {0, 1, 2}) ::close(fd);
              const std::string death = death_of([] {
                                          std::fputs("heard\n", stderr);
                                          std::raise(SIGKILL);
                                          return std::string();
                                        }).what();
              return death + " / " + run_isolated([] { return std::string("answer"); });
            }),
            "a process was ended by SIGKILL: heard / answer");
}

}  // namespace
}  // namespace layerpipe::process
