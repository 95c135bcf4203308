#include "sim/cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/cli/terminal.hpp"

namespace layerpipe::cli {
namespace {

using namespace std::chrono_literals;
using tests::Terminal;

TEST(Progress, ShowsAndErasesALine) {
  const Terminal terminal;
  {
    Progress progress("simulating", 2000, terminal.program(), 0s);
    progress.finished(1234);
    EXPECT_EQ(terminal.shown(), "\r\033[Ksimulating: 1,234 of 2,000 minibatches");
    progress.finished(1235);
    EXPECT_EQ(terminal.shown(), "") << "within 0.2 seconds";
  }
  EXPECT_EQ(terminal.shown(), "\r\033[K");
}

TEST(Progress, TellsTheTimeLeftOfASweep) {
  const Terminal terminal;
  Progress progress("sweeping", 30'000'000, terminal.program(), 0s);
  progress.count_units("points");
  progress.finished(10'000'000);
  EXPECT_EQ(terminal.shown(), "\r\033[Ksweeping: 10,000,000 of 30,000,000 points");
  std::this_thread::sleep_for(400ms);
  // 2,000 times as long as 0.4 s, or a bit more: 13 minutes.
  progress.finished(10'010'000);
  EXPECT_THAT(terminal.shown(), testing::ContainsRegex("points, [0-9]+:[1-5][0-9]:[0-9]+ left$"));
}

TEST(Progress, ShowsNothingInTheBeginning) {
  const Terminal terminal;
  {
    Progress progress("simulating", 10, terminal.program(), 1h);
    progress.finished(5);
  }
  EXPECT_EQ(terminal.shown(), "");
}

TEST(Progress, ShowsNothingWithoutATerminal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  {
    Progress progress("simulating", 10, ends[1], 0s);
    EXPECT_FALSE(progress.callback());
    progress.finished(5);
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

}  // namespace
}  // namespace layerpipe::cli
