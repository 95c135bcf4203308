#include "sim/process/resource_limits.hpp"

#include <unistd.h>

#include <csignal>
#include <fstream>

namespace layerpipe::process {

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

/// SIGXCPU comes at the soft limit and from nowhere else, and with it Linux raises that limit by a
/// second: it is then above ours unless the process had a lower one. SIGKILL comes at the hard one,
/// which the kernel holds against a coarser count, in ticks, than what it tells later.
std::optional<std::chrono::seconds> exceeded_computing_time(int signal,
                                                            std::chrono::duration<double> used,
                                                            std::optional<rlim_t> soft) {
  constexpr double coarse = 0.5;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0) return std::nullopt;
  const bool is_soft = signal == SIGXCPU && soft && *soft > limit.rlim_cur;
  const bool is_hard =
      signal == SIGKILL && used.count() >= coarse * static_cast<double>(limit.rlim_max);
  const rlim_t most = is_soft ? limit.rlim_cur : limit.rlim_max;
  if ((!is_soft && !is_hard) || most == RLIM_INFINITY) return std::nullopt;
  return std::chrono::seconds(most);
}

}  // namespace layerpipe::process
