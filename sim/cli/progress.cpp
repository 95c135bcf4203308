#include "sim/cli/progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <utility>

#include "workloads/base/units.hpp"

namespace layerpipe::sim::cli {
namespace {

constexpr const char* erase_line = "\r\033[K";
constexpr std::chrono::milliseconds between_updates(200);
constexpr int first_free_descriptor = 3;

}  // namespace

Progress::Progress(std::string label, std::int64_t total, int descriptor, Clock::duration delay)
    : label_(std::move(label)), total_(total), first_update_(Clock::now() + delay) {
  if (::isatty(descriptor) != 0) {
    terminal_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, first_free_descriptor);
  }
}

Progress::~Progress() {
  clear();
  if (terminal_ >= 0) ::close(terminal_);
}

void Progress::finished(std::int64_t minibatches) {
  if (terminal_ < 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_update_) return;
  next_update_ = now + between_updates;
  write(fmt::format("{}{}: {} of {} minibatches", erase_line, label_,
                    workloads::format_count(minibatches), workloads::format_count(total_)));
}

std::function<void(std::int64_t)> Progress::callback() {
  if (terminal_ < 0) return {};
  return [this](std::int64_t minibatches) { finished(minibatches); };
}

void Progress::clear() {
  if (terminal_ >= 0 && Clock::now() >= first_update_) write(erase_line);
}

/// A terminal that has gone away is no reason to stop.
void Progress::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t written = ::write(terminal_, text.data(), text.size());
}

}  // namespace layerpipe::sim::cli
