#include "sim/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "workloads/base/error.hpp"
#include "workloads/base/resource_error.hpp"

namespace layerpipe::process {

namespace {

[[noreturn]] void refuse_pipe() {
  throw ResourceError(
      fmt::format("no pipe to a new process: {} (expected fewer open files, a higher limit (ulimit "
                  "-n) or fewer "
                  "--jobs)",
                  std::generic_category().message(errno)));
}

[[noreturn]] void refuse_process() {
  throw ResourceError(fmt::format(
      "no new process: {} (expected fewer processes or more memory, a higher limit (ulimit -u) or "
      "fewer --jobs)",
      std::generic_category().message(errno)));
}

FileDescriptor above_standard_streams(FileDescriptor fd) {
  const int moved = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) refuse_pipe();
  return FileDescriptor(moved);
}

void drop_handler(int signal) {
  struct sigaction action {};
  if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
    ::signal(signal, SIG_DFL);
  }
}

std::chrono::duration<double> duration_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void leave_at_once(int status, void*) { ::_exit(status); }

/// `parent` is the process that forked this one.
void detach_from(pid_t parent, int captured) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);
  drop_handler(SIGINT);
  drop_handler(SIGTERM);
  // Registered last, so called first: `exit` runs none of the parent's handlers.
  ::on_exit(leave_at_once, nullptr);
  ::__fpurge(stdout);
  ::dup2(captured, STDOUT_FILENO);
  ::dup2(captured, STDERR_FILENO);
}

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

void FileDescriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse_pipe();
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  return {above_standard_streams(std::move(read_end)),
          above_standard_streams(std::move(write_end))};
}

void write_or_leave(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(EXIT_FAILURE);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

ChildProcess::ChildProcess(int captured, const std::function<void()>& work) : pid_(0) {
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) refuse_process();
  if (pid_ > 0) return;
  detach_from(parent, captured);
  work();
  ::_exit(EXIT_SUCCESS);
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  kill();
  wait();
}

void ChildProcess::kill() const { ::kill(pid_, SIGKILL); }

int ChildProcess::wait() {
  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  struct rlimit limit {};
  if (::prlimit(pid_, RLIMIT_CPU, nullptr, &limit) == 0) computing_limit_ = limit.rlim_cur;
  int status = 0;
  struct rusage usage {};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  computing_time_ = duration_of(usage.ru_utime) + duration_of(usage.ru_stime);
  return status;
}

void throw_error(int exit_code, const std::string& message) {
  if (exit_code == UsageError("").exit_code()) throw UsageError(message);
  if (exit_code == InputError("").exit_code()) throw InputError(message);
  if (exit_code == InfeasibleError("").exit_code()) throw InfeasibleError(message);
  if (exit_code == DeadlockError("").exit_code()) throw DeadlockError(message);
  if (exit_code == OutputError("").exit_code()) throw OutputError(message);
  if (exit_code == ResourceError("").exit_code()) throw ResourceError(message);
  throw InternalError(message);
}

}  // namespace layerpipe::process
