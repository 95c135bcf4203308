#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace layerpipe::cli {

/// A line on a terminal that says how far a run, or a sweep of many, is. Nothing is shown where
/// there is no terminal, and nothing in the first two seconds.
///
/// The run is in a process of its own, whose standard error is captured: made before that process
/// is forked, this object keeps a copy of the terminal's descriptor, through which the copy of the
/// object there writes. The original erases the line in the end.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// `total` minibatches are to be finished.
  Progress(std::string label, std::int64_t total, int descriptor = STDERR_FILENO,
           Clock::duration delay = std::chrono::seconds(2));

  /// Erases the line.
  ~Progress();

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts `units` instead of minibatches. From the second call of `finished` on, the line says
  /// how much time is left, as far as that can be told from what was finished since the first.
  void count_units(std::string units);

  /// Updates the line, if it is time to, when `count` of the total are finished.
  void finished(std::int64_t count);

  /// `finished`, for a run to call; empty if nothing is ever shown. Must not outlive this object.
  [[nodiscard]] std::function<void(std::int64_t)> callback();

  /// Erases the line.
  void clear();

 private:
  [[nodiscard]] std::string time_left(std::int64_t count, Clock::time_point now);
  void write(const std::string& text) const;

  struct Start {
    std::int64_t count = 0;
    Clock::time_point time;
  };

  std::string label_;
  std::string units_ = "minibatches";
  bool shows_time_left_ = false;
  std::optional<Start> start_;  ///< of what tells the time left
  std::int64_t total_;
  int terminal_ = -1;  ///< -1: nothing is shown
  Clock::time_point first_update_;
  Clock::time_point next_update_ = first_update_;
};

}  // namespace layerpipe::cli
