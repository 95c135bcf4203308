#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// What processes that work for this one are made of. `isolated_process.hpp` says what they keep.
/// Nowhere else do the libraries end a process, and here only copies that they have made, which
/// must not come back into the code of the process that they are copies of.
namespace layerpipe::process {

/// Closed with this object; -1 is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  void close();

 private:
  int fd_;
};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

/// Its ends are not numbered as standard streams, which may be closed in this process, and are
/// closed by `exec`. Throws ResourceError.
[[nodiscard]] Pipe make_pipe();

/// Writes all of `bytes`, for a child: it leaves where nobody reads them.
void write_or_leave(int fd, std::string_view bytes);

/// A forked copy of this process. It does not outlive this object, nor this process.
class ChildProcess {
 public:
  /// Executes `work` in the copy, whose standard streams go to `captured`, and leaves without
  /// destroying or flushing anything of this process. `work` does not throw. Handlers of SIGINT and
  /// SIGTERM do not run in the copy. Throws ResourceError if there is no new process.
  ChildProcess(int captured, const std::function<void()>& work);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  void kill() const;

  /// Status as of waitpid; 0 if this process ignores SIGCHLD, when the status is not kept.
  int wait();

  /// What it has computed in all, and its soft limit of that (RLIMIT_CPU), as far as the kernel
  /// still tells it. Precondition: `wait` has returned.
  [[nodiscard]] std::chrono::duration<double> computing_time() const { return computing_time_; }
  [[nodiscard]] std::optional<rlim_t> computing_limit() const { return computing_limit_; }

 private:
  pid_t pid_;
  std::chrono::duration<double> computing_time_{0.0};
  std::optional<rlim_t> computing_limit_;
};

/// Throws the kind of Error that has this exit code; InternalError if none has.
[[noreturn]] void throw_error(int exit_code, const std::string& message);

}  // namespace layerpipe::process
