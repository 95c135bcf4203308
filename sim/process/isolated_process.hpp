#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "workloads/base/error.hpp"

namespace layerpipe::process {

/// The process died before it gave an answer. `what()` says how, and what it complained of.
class ProcessDeath : public InternalError {
 public:
  ProcessDeath(int signal, const std::string& manner, std::string complaint);

  /// The signal that ended it; 0 if it left by `exit`.
  [[nodiscard]] int signal() const noexcept { return signal_; }

  /// First useful line of what it wrote to its standard streams, without SimGrid's log prefix; may
  /// be empty.
  [[nodiscard]] const std::string& complaint() const noexcept { return complaint_; }

 private:
  int signal_;
  std::string complaint_;
};

/// Executes `work` in a forked copy of this process and returns what it returned. Nothing else of
/// what `work` does is seen here: no state that it changes, no output of it (both its standard
/// streams are captured), no exit and no crash.
///
/// Throws
///  - what `work` threw, if that was an Error: the same kind with the same text;
///  - InternalError with the first line of what(), if it was any other exception;
///  - ResourceError if no process could be started, OutOfMemory if it ended for lack of memory;
///  - ProcessDeath if the process was ended by a signal, left by `exit`, or gave no answer within
///    `timeout` and was killed (SIGKILL).
///
/// The process is gone when this function returns or throws, and so are the pipes to it. It is also
/// killed when this process dies; handlers for SIGINT and SIGTERM that were installed here do not
/// run in it. No destructor of a static object, no handler of `atexit` and no stdio buffer
/// of this process is executed or written a second time there.
///
/// Only the calling thread exists in the copy: to be called while there is no other one. The result
/// may be large; it is copied once through a pipe.
[[nodiscard]] std::string run_isolated(
    const std::function<std::string()>& work,
    std::optional<std::chrono::duration<double>> timeout = std::nullopt);

}  // namespace layerpipe::process
