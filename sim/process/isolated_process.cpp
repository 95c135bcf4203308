#include "sim/process/isolated_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/process/child_process.hpp"
#include "sim/process/complaint.hpp"
#include "sim/process/resource_limits.hpp"
#include "workloads/base/resource_error.hpp"

// The answer of the child is one byte that tells its kind (`result_tag`, or the exit code of the
// Error that it stands for), the bytes, and `end_tag`: an answer without it was cut off.

namespace layerpipe::process {

namespace {

constexpr char result_tag = 'r';
constexpr char end_tag = '.';
constexpr std::size_t captured_bytes = 65'536;

void answer(int fd, char tag, std::string_view bytes) {
  write_or_leave(fd, {&tag, 1});
  write_or_leave(fd, bytes);
  write_or_leave(fd, {&end_tag, 1});
}

void answer(int fd, const Error& error) {
  answer(fd, static_cast<char>(error.exit_code()), error.what());
}

/// For the child.
void run_child(const std::function<std::string()>& work, int result) {
  try {
    answer(result, result_tag, work());
  } catch (const Error& error) {
    answer(result, error);
  } catch (const std::bad_alloc&) {
    answer(result, OutOfMemory());
  } catch (const std::exception& error) {
    answer(result, InternalError(first_line(error.what())));
  } catch (...) {
    answer(result, InternalError("unknown exception"));
  }
}

/// Reads what is there into `text`; what exceeds `limit` bytes is lost. Closes `fd` at its end.
void drain(FileDescriptor& fd, std::string& text, std::size_t limit) {
  std::vector<char> buffer(std::size_t{1} << 16U);
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
      throw InternalError("lost touch with a process: " + std::generic_category().message(errno));
    }
    outcome.timed_out = deadline && Clock::now() >= *deadline;
    if (outcome.timed_out) break;
    if (ready <= 0) continue;
    if (watched[0].revents != 0) drain(result, outcome.answer, outcome.answer.max_size());
    if (watched[1].revents != 0) drain(captured, outcome.captured, captured_bytes);
  }
  return outcome;
}

/// The result, or throws the Error that the child sent.
std::string unpack(std::string answer) {
  const char tag = answer.front();
  answer.pop_back();
  answer.erase(0, 1);
  if (tag == result_tag) return answer;
  throw_error(tag, answer);
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

  ChildProcess child(captured.write_end.get(), [&] { run_child(work, result.write_end.get()); });
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
    if (is_out_of_memory(complaint(outcome.captured))) throw OutOfMemory();
    if (const auto limit = exceeded_computing_time(WTERMSIG(status), child.computing_time(),
                                                   child.computing_limit())) {
      throw ResourceError(fmt::format(
          "out of computing time after {} s (expected a higher limit (ulimit -t) or fewer "
          "processors or iterations)",
          limit->count()));
    }
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

}  // namespace layerpipe::process
