#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace layerpipe::sim::cli {

/// A line on a terminal that says how far a run is. Nothing is shown where there is no terminal,
/// and nothing in the first two seconds.
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

  /// Updates the line, if it is time to, when `minibatches` of the total are finished.
  void finished(std::int64_t minibatches);

  /// `finished`, for a run to call; empty if nothing is ever shown. Must not outlive this object.
  [[nodiscard]] std::function<void(std::int64_t)> callback();

  /// Erases the line.
  void clear();

 private:
  void write(const std::string& text) const;

  std::string label_;
  std::int64_t total_;
  int terminal_ = -1;  ///< -1: nothing is shown
  Clock::time_point first_update_;
  Clock::time_point next_update_ = first_update_;
};

}  // namespace layerpipe::sim::cli
