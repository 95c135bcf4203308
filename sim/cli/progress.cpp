#include "sim/cli/progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "workloads/base/units.hpp"

namespace layerpipe::cli {
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

void Progress::count_units(std::string units) {
  units_ = std::move(units);
  shows_time_left_ = true;
}

void Progress::finished(std::int64_t count) {
  if (terminal_ < 0) return;
  const Clock::time_point now = Clock::now();
  const std::string left = shows_time_left_ ? time_left(count, now) : "";
  if (now < next_update_) return;
  next_update_ = now + between_updates;
  write(fmt::format("{}{}: {} of {} {}{}", erase_line, label_, base::format_count(count),
                    base::format_count(total_), units_, left));
}

/// ", 0:01:15 left"; nothing as long as nothing is known.
std::string Progress::time_left(std::int64_t count, Clock::time_point now) {
  if (!start_) start_ = Start{count, now};
  if (count <= start_->count) return "";
  const std::chrono::duration<double> spent = now - start_->time;
  const double for_one = spent.count() / static_cast<double>(count - start_->count);
  const auto seconds = std::llround(for_one * static_cast<double>(total_ - count));
  return fmt::format(", {}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60);
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

}  // namespace layerpipe::cli
