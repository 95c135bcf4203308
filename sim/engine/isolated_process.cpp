#include "sim/engine/isolated_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "sim/engine/complaint.hpp"

// The answer of the child is one byte that tells its kind (`result_tag`, or the exit code of the
// Error that it stands for), the bytes, and `end_tag`: an answer without it was cut off.

namespace layerpipe::sim {

namespace {

constexpr char result_tag = 'r';
constexpr char end_tag = '.';
constexpr std::size_t captured_bytes = 65'536;

std::string reason(int error) { return std::generic_category().message(error); }

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

/// Out of the way of the standard streams, which may be closed in this process.
FileDescriptor above_standard_streams(FileDescriptor fd) {
  const int moved = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) throw InternalError("no pipe to a new process: " + reason(errno));
  return FileDescriptor(moved);
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw InternalError("no pipe to a new process: " + reason(errno));
  }
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  return {above_standard_streams(std::move(read_end)),
          above_standard_streams(std::move(write_end))};
}

/// A forked process, which does not outlive this object.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    kill();
    wait();
  }

  void kill() const { ::kill(pid_, SIGKILL); }

  /// Status as of waitpid; 0 if this process ignores SIGCHLD, when the status is not kept.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

// In the child.

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(EXIT_FAILURE);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void answer(int fd, char tag, std::string_view bytes) {
  write_all(fd, {&tag, 1});
  write_all(fd, bytes);
  write_all(fd, {&end_tag, 1});
}

void answer(int fd, const Error& error) {
  answer(fd, static_cast<char>(error.exit_code()), error.what());
}

void drop_handler(int signal) {
  struct sigaction action {};
  if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
    ::signal(signal, SIG_DFL);
  }
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

[[noreturn]] void run_child(const std::function<std::string()>& work, int result) {
  try {
    answer(result, result_tag, work());
  } catch (const Error& error) {
    answer(result, error);
  } catch (const std::exception& error) {
    answer(result, InternalError(first_line(error.what())));
  } catch (...) {
    answer(result, InternalError("unknown exception"));
  }
  ::_exit(EXIT_SUCCESS);
}

// In the parent.

/// Reads what is there into `text`; what exceeds `limit` bytes is lost. Closes `fd` at its end.
void drain(FileDescriptor& fd, std::string& text, std::size_t limit) {
  std::array<char, 65'536> buffer{};
  const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) return fd.close();
  text.append(buffer.data(), std::min(static_cast<std::size_t>(count), limit - text.size()));
}

using Clock = std::chrono::steady_clock;

std::optional<Clock::time_point> deadline_after(
    std::optional<std::chrono::duration<double>> timeout) {
  constexpr std::chrono::duration<double> longest = std::chrono::hours(24 * 365);
  if (!timeout) return std::nullopt;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::min(*timeout, longest));
}

/// Milliseconds for poll(): -1 without a deadline.
int remaining(std::optional<Clock::time_point> deadline) {
  if (!deadline) return -1;
  constexpr double longest = 3'600'000.0;
  const std::chrono::duration<double, std::milli> left = *deadline - Clock::now();
  return static_cast<int>(std::ceil(std::clamp(left.count(), 0.0, longest)));
}

struct Outcome {
  std::string answer;
  std::string captured;
  bool timed_out = false;
};

Outcome hear_out(FileDescriptor& result, FileDescriptor& captured,
                 std::optional<Clock::time_point> deadline) {
  Outcome outcome;
  while (result.get() >= 0 || captured.get() >= 0) {
    // poll() passes over negative descriptors.
    std::array<pollfd, 2> watched{{{result.get(), POLLIN, 0}, {captured.get(), POLLIN, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), remaining(deadline));
    if (ready < 0 && errno != EINTR) {
      throw InternalError("lost touch with a process: " + reason(errno));
    }
    outcome.timed_out = deadline && Clock::now() >= *deadline;
    if (outcome.timed_out) break;
    if (ready <= 0) continue;
    if (watched[0].revents != 0) drain(result, outcome.answer, outcome.answer.max_size());
    if (watched[1].revents != 0) drain(captured, outcome.captured, captured_bytes);
  }
  return outcome;
}

[[noreturn]] void rethrow(int exit_code, const std::string& message) {
  if (exit_code == UsageError("").exit_code()) throw UsageError(message);
  if (exit_code == InputError("").exit_code()) throw InputError(message);
  if (exit_code == InfeasibleError("").exit_code()) throw InfeasibleError(message);
  if (exit_code == DeadlockError("").exit_code()) throw DeadlockError(message);
  if (exit_code == OutputError("").exit_code()) throw OutputError(message);
  throw InternalError(message);
}

/// The result, or throws the Error that the child sent.
std::string unpack(std::string answer) {
  const char tag = answer.front();
  answer.pop_back();
  answer.erase(0, 1);
  if (tag == result_tag) return answer;
  rethrow(tag, answer);
}

}  // namespace

ProcessDeath::ProcessDeath(int signal, const std::string& manner, std::string complaint)
    : InternalError(complaint.empty() ? "a process " + manner
                                      : fmt::format("a process {}: {}", manner, complaint)),
      signal_(signal),
      complaint_(std::move(complaint)) {}

std::string run_isolated(const std::function<std::string()>& work,
                         std::optional<std::chrono::duration<double>> timeout) {
  Pipe result = make_pipe();
  Pipe captured = make_pipe();
  const std::optional<Clock::time_point> deadline = deadline_after(timeout);

  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw InternalError("no new process: " + reason(errno));
  if (pid == 0) {
    detach_from(parent, captured.write_end.get());
    run_child(work, result.write_end.get());
  }
  Child child(pid);
  result.write_end.close();
  captured.write_end.close();

  Outcome outcome = hear_out(result.read_end, captured.read_end, deadline);
  if (outcome.timed_out) {
    child.kill();
    throw ProcessDeath(SIGKILL, fmt::format("gave no answer within {} s", timeout->count()),
                       complaint(outcome.captured));
  }
  const int status = child.wait();
  if (WIFSIGNALED(status)) {
    throw ProcessDeath(WTERMSIG(status),
                       fmt::format("was ended by {}", signal_name(WTERMSIG(status))),
                       complaint(outcome.captured));
  }
  const bool complete = outcome.answer.size() >= 2 && outcome.answer.back() == end_tag;
  if (WEXITSTATUS(status) != EXIT_SUCCESS || !complete) {
    throw ProcessDeath(0, fmt::format("left with exit code {}", WEXITSTATUS(status)),
                       complaint(outcome.captured));
  }
  return unpack(std::move(outcome.answer));
}

}  // namespace layerpipe::sim
