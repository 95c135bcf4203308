#include "sim/engine/resource_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace layerpipe::sim {

namespace {

/// Lowers the limit of `resource`, one of RLIMIT_..., to `value`.
void lower(__rlimit_resource resource, rlim_t value) {
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= value) return;
  limit.rlim_cur = value;
  ::setrlimit(resource, &limit);
}

}  // namespace

void limit_further_memory(std::size_t bytes) {
  rlim_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return;
  lower(RLIMIT_AS, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + bytes);
}

void limit_computing_time(std::chrono::seconds time) {
  lower(RLIMIT_CPU, static_cast<rlim_t>(time.count()));
}

/// SIGXCPU comes at the soft limit, SIGKILL at the hard one, at a tick of the kernel's clock.
std::optional<std::chrono::seconds> exceeded_computing_time(int signal,
                                                            std::chrono::duration<double> used) {
  constexpr double ticks = 0.9;
  struct rlimit limit {};
  if (signal != SIGXCPU && signal != SIGKILL) return std::nullopt;
  if (::getrlimit(RLIMIT_CPU, &limit) != 0) return std::nullopt;
  const rlim_t most = signal == SIGXCPU ? limit.rlim_cur : limit.rlim_max;
  if (most == RLIM_INFINITY || used.count() < ticks * static_cast<double>(most)) {
    return std::nullopt;
  }
  return std::chrono::seconds(most);
}

}  // namespace layerpipe::sim
