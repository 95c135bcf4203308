#include "sim/process/resource_limits.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <new>
#include <string>
#include <vector>

#include "sim/process/isolated_process.hpp"

namespace layerpipe::process {
namespace {

TEST(ResourceLimits, MemoryBeyondThemIsNotThere) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer has an allocator of its own, which ends the process";
#endif
  EXPECT_EQ(run_isolated([] {
              limit_further_memory(std::size_t{64} << 20U);
              const std::vector<char> fits(std::size_t{16} << 20U);
              try {
                const std::vector<char> too_large(std::size_t{128} << 20U);
              } catch (const std::bad_alloc&) {
                return std::to_string(fits.size());
              }
              return std::string("all of it");
            }),
            "16777216");
}

TEST(ResourceLimits, EndAProcessThatComputesTooLong) {
  try {
    static_cast<void>(run_isolated([]() -> std::string {
      limit_computing_time(std::chrono::seconds(1));
      for (std::atomic<unsigned> turns = 0;;) ++turns;
    }));
    FAIL() << "expected a ProcessDeath";
  } catch (const ProcessDeath& death) {
    EXPECT_EQ(death.signal(), SIGXCPU);
  }
}

}  // namespace
}  // namespace layerpipe::process
