#include "sim/engine/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace layerpipe::sim {

void limit_further_memory(std::size_t bytes) {
  rlim_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  const rlim_t wanted = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace layerpipe::sim
