#include "sim/process/run_jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <list>
#include <new>
#include <system_error>
#include <vector>

#include "sim/process/child_process.hpp"
#include "sim/process/complaint.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/resource_error.hpp"

// A process writes lines: `line_tag` and a line to hand on, or `error_tag`, an exit code, a space
// and a message, or, when all is done, `all_done_tag`.

namespace layerpipe::process {
namespace {

constexpr char line_tag = '+';
constexpr char error_tag = '!';
constexpr char all_done_tag = '.';

[[noreturn]] void fail(const char* what) {
  throw ResourceError(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

/// While this object lives, signals that would end this process are read from a descriptor instead.
class PendingSignals {
 public:
  PendingSignals() {
    sigset_t watched;
    ::sigemptyset(&watched);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) ::sigaddset(&watched, signal);
    }
    ::sigprocmask(SIG_BLOCK, &watched, &before_);
    descriptor_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ >= 0) return;
    restore();
    fail("signals cannot be watched");
  }
  PendingSignals(const PendingSignals&) = delete;
  PendingSignals& operator=(const PendingSignals&) = delete;
  ~PendingSignals() {
    ::close(descriptor_);
    restore();
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// The first one that has arrived since the last call, else 0.
  [[nodiscard]] int next() const {
    signalfd_siginfo info{};
    const ssize_t count = ::read(descriptor_, &info, sizeof info);
    return count == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

  /// For a child: signals end it again.
  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// In the child.
void work(const Jobs& jobs, std::size_t job, int fd) {
  const auto send = [fd](std::string line) { write_or_leave(fd, line += '\n'); };
  const auto send_error = [&](const Error& error) {
    send(fmt::format("{}{} {}", error_tag, error.exit_code(), first_line(error.what())));
  };
  try {
    jobs.work(job, [&](const std::string& line) { send(line_tag + line); });
    send({all_done_tag});
  } catch (const Error& error) {
    send_error(error);
  } catch (const std::bad_alloc&) {
    send_error(OutOfMemory());
  } catch (const std::exception& error) {
    send_error(InternalError(error.what()));
  }
}

/// A process that does one job.
class Worker {
 public:
  Worker(const Jobs& jobs, std::size_t job, const PendingSignals& signals, int nowhere)
      : jobs_(jobs), job_(job), pipe_(make_pipe()), process_(nowhere, [&] {
          signals.restore();
          work(jobs, job, pipe_.write_end.get());
        }) {
    pipe_.write_end.close();
  }

  [[nodiscard]] int descriptor() const { return pipe_.read_end.get(); }

  /// Reads what is there and hands whole lines on. False when the process has ended; throws what
  /// the job has thrown.
  [[nodiscard]] bool listen() {
    std::vector<char> buffer(std::size_t{1} << 16U);
    const ssize_t count = ::read(descriptor(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return finish();
    text_.append(buffer.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      take(text_.substr(begin, end - begin));
    }
    text_.erase(0, begin);
    return true;
  }

 private:
  void take(const std::string& line) {
    if (line.front() == line_tag) jobs_.receive(line.substr(1));
    if (line.front() == all_done_tag) done_ = true;
    if (line.front() != error_tag) return;
    int exit_code = 0;
    const char* end = line.data() + line.size();
    const auto [stop, status] = std::from_chars(line.data() + 1, end, exit_code);
    throw_error(exit_code, {stop + 1, end});
  }

  [[nodiscard]] bool finish() {
    const int status = process_.wait();
    if (done_) return false;
    jobs_.lose(job_, WIFSIGNALED(status)
                         ? fmt::format("a process was ended by {}", signal_name(WTERMSIG(status)))
                         : std::string("a process left without an answer"));
    return false;
  }

  const Jobs& jobs_;
  std::size_t job_;
  Pipe pipe_;
  ChildProcess process_;
  std::string text_;  ///< the beginning of a line
  bool done_ = false;
};

/// Waits until a worker or a signal has something to tell.
void wait(const std::list<Worker>& workers, const PendingSignals& signals,
          std::vector<pollfd>& watched) {
  watched.assign(1, {signals.descriptor(), POLLIN, 0});
  for (const Worker& worker : workers) watched.push_back({worker.descriptor(), POLLIN, 0});
  if (::poll(watched.data(), watched.size(), -1) < 0) {
    if (errno != EINTR) fail("lost touch with processes");
    for (pollfd& each : watched) each.revents = 0;
  }
}

}  // namespace

int run_jobs(const Jobs& jobs) {
  const FileDescriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const PendingSignals signals;
  std::list<Worker> workers;
  std::vector<pollfd> watched;
  std::size_t next = 0;
  while (next < jobs.count || !workers.empty()) {
    while (next < jobs.count && workers.size() < jobs.at_once) {
      workers.emplace_back(jobs, next++, signals, nowhere.get());
    }
    wait(workers, signals, watched);
    if (watched.front().revents != 0) {
      if (const int signal = signals.next(); signal != 0) return signal;
    }
    std::size_t i = 1;
    for (auto worker = workers.begin(); worker != workers.end(); ++i) {
      const bool goes_on = watched[i].revents == 0 || worker->listen();
      worker = goes_on ? std::next(worker) : workers.erase(worker);
    }
  }
  return 0;
}

}  // namespace layerpipe::process
