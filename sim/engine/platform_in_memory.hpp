#pragma once

#include <string>
#include <string_view>

#include "sim/process/child_process.hpp"

namespace layerpipe::engine {

/// A file for SimGrid to read, in memory: however this process ends, nothing of it is left.
class PlatformInMemory {
 public:
  /// Throws OutputError if there is no room.
  explicit PlatformInMemory(std::string_view xml);

  /// Of this process and those that it forks.
  [[nodiscard]] std::string path() const;

 private:
  process::FileDescriptor file_;
};

}  // namespace layerpipe::engine
