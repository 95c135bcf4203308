#include "sim/process/resource_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

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

}  // namespace layerpipe::process
