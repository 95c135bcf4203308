#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace layerpipe::process {

/// Work that is done in several processes.
struct Jobs {
  std::size_t count = 0;
  std::size_t at_once = 1;  ///< processes, at least 1
  /// Executed in a process of its own for each job, 0 first, with what hands a line to `receive`. A
  /// line has no end of line in it.
  std::function<void(std::size_t job, const std::function<void(const std::string&)>& send)> work;
  /// Called here with each line, soon after it was sent.
  std::function<void(const std::string& line)> receive;
  /// Called here, in place of the lines that a job has not sent, if its process dies of `why`.
  std::function<void(std::size_t job, const std::string& why)> lose = {};
};

/// Does all jobs and returns 0; or, if SIGINT, SIGTERM or SIGHUP arrives and is not ignored by this
/// process, ends them at once and returns the signal. Output of the jobs is lost. Throws what a job
/// has thrown, an Error of the same kind and text, and ResourceError if no process can be started;
/// all others are ended then. No process is left when this returns or throws, or when this process
/// dies. To be called while there is no other thread.
[[nodiscard]] int run_jobs(const Jobs& jobs);

}  // namespace layerpipe::process
