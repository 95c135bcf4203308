#pragma once

#include <string>

#include "workloads/base/error.hpp"

namespace layerpipe {

/// The system has no memory, no file descriptor, no process or no time left for what was asked:
/// neither the input is wrong nor this program. The exit code is EX_OSERR of sysexits.h.
class ResourceError : public Error {
 public:
  explicit ResourceError(const std::string& message) : Error(71, message) {}
};

class OutOfMemory : public ResourceError {
 public:
  OutOfMemory()
      : ResourceError(
            "out of memory (expected more of it, a higher limit (ulimit -v) or fewer processors, "
            "iterations or --jobs)") {}
};

}  // namespace layerpipe
