#include "sim/process/complaint.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace layerpipe::process {
namespace {

// As SimGrid 3.32 writes it when a link is declared twice.
TEST(Complaint, IsTheMessageThatSimGridLogged) {
  EXPECT_EQ(complaint("[0.000000] [xbt_cfg/INFO] Configuration change: Set 'a' to 'b'\n"
                      "[0.000000] ./src/kernel/resource/StandardLinkImpl.cpp:23: [root/CRITICAL] "
                      "Link 'l' declared several times in the platform.\n"
                      "Backtrace (displayed in actor maestro):\n"
                      "  ->  0# xbt_backtrace_display_current in libsimgrid.so.3.32\n"),
            "Link 'l' declared several times in the platform.");
}

TEST(Complaint, PrefersALoggedErrorToOtherLines) {
  EXPECT_EQ(complaint("hint\n[p0:actor:(1) 3.5] a.cpp:1: [ker/ERROR] broken  \r\n"), "broken");
}

TEST(Complaint, IsElseTheFirstLineThatSaysSomething) {
  EXPECT_EQ(complaint("\n  \n=====\n[1.0] [a/WARNING] careful\nSegmentation fault.\nmore"),
            "Segmentation fault.");
  EXPECT_EQ(complaint(""), "");
  EXPECT_EQ(complaint("\n\n"), "");
}

TEST(FirstLine, EndsAtTheEndOfLine) {
  EXPECT_EQ(first_line("a b\nc"), "a b");
  EXPECT_EQ(first_line("a"), "a");
  EXPECT_EQ(first_line(""), "");
}

TEST(SignalName, IsTheNameOrTheNumber) {
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(200), "signal 200");
}

}  // namespace
}  // namespace layerpipe::process
