#include "sim/engine/platform_in_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "workloads/base/error.hpp"

namespace layerpipe::engine {

PlatformInMemory::PlatformInMemory(std::string_view xml)
    : file_(::memfd_create("layerpipe-platform", MFD_CLOEXEC)) {
  while (file_.get() >= 0 && !xml.empty()) {
    const ssize_t written = ::write(file_.get(), xml.data(), xml.size());
    if (written < 0) break;
    xml.remove_prefix(static_cast<std::size_t>(written));
  }
  if (xml.empty()) return;
  throw OutputError("a platform cannot be kept in memory: " +
                    std::generic_category().message(errno));
}

std::string PlatformInMemory::path() const { return fmt::format("/proc/self/fd/{}", file_.get()); }

}  // namespace layerpipe::engine
