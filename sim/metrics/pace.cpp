#include "sim/metrics/pace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace layerpipe::metrics {

namespace {

/// Batches `first` to `last` of a sequence of dates.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;
  double batch_size = 1.0;  ///< dates

  [[nodiscard]] std::size_t steps() const { return last - first; }
};

/// Cycles from a date to the next: mean between the batches `first` and `last`.
double pace(const std::vector<double>& sums, std::size_t first, std::size_t last,
            double batch_size) {
  return (sums[last] - sums[first]) / (static_cast<double>(last - first) * batch_size * batch_size);
}

double pace(const std::vector<double>& sums, const Window& window) {
  return pace(sums, window.first, window.last, window.batch_size);
}

/// Of Student's distribution, two-sided 99 %.
double t_quantile(std::size_t degrees_of_freedom) {
  constexpr std::array quantiles{9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355,
                                 3.250, 3.169, 3.106, 3.055, 3.012, 2.977};  // from 2 on
  return quantiles[std::min(degrees_of_freedom - 2, quantiles.size() - 1)];
}

/// Half the width of the interval around the mean of the steps, each over `stride` batches.
double half_width(const std::vector<double>& sums, const Window& window, std::size_t stride) {
  const std::size_t steps = window.steps() / stride;
  const std::size_t last = window.first + steps * stride;
  const double mean = pace(sums, window.first, last, window.batch_size);
  double squares = 0.0;
  for (std::size_t i = window.first; i < last; i += stride) {
    const double deviation = pace(sums, i, i + stride, window.batch_size) - mean;
    squares += deviation * deviation;
  }
  const auto count = static_cast<double>(steps);
  return t_quantile(steps - 1) * std::sqrt(squares / (count * (count - 1.0)));
}

/// The greatest of batches of several sizes: means that are correlated from batch to batch vary
/// more than small batches tell.
double half_width(const std::vector<double>& sums, const Window& window) {
  double widest = 0.0;
  for (std::size_t stride = 1; window.steps() / stride >= 3; stride *= 2) {
    widest = std::max(widest, half_width(sums, window, stride));
  }
  return widest;
}

/// By how much the pace of the later half differs from that of the earlier one.
double change(const std::vector<double>& sums, const Window& window) {
  const std::size_t middle = window.first + window.steps() / 2;
  return std::abs(pace(sums, middle, window.last, window.batch_size) -
                  pace(sums, window.first, middle, window.batch_size));
}

}  // namespace

PaceEstimator::PaceEstimator(const contract::Schedule& schedule, double least_cycles)
    : least_cycles_(least_cycles), ends_of_ops_(schedule.ops.size()) {}

/// Of the largest batches that any operation has.
std::int64_t PaceEstimator::batch_size() const {
  std::int64_t size = ends_.size();
  for (const Batches<double>& ends : ends_of_ops_) size = std::max(size, ends.size());
  return size;
}

std::optional<Pace> PaceEstimator::pace() const {
  constexpr std::size_t fewest_batches = Batches<double>::most / 2;
  const std::int64_t size = batch_size();
  std::vector<std::vector<double>> all{ends_.of_size(size)};
  for (const Batches<double>& ends : ends_of_ops_) all.push_back(ends.of_size(size));
  std::size_t batches = all.front().size();
  for (const std::vector<double>& sums : all) batches = std::min(batches, sums.size());
  if (batches < fewest_batches) return std::nullopt;
  const Window window{batches / 2, batches - 1, static_cast<double>(size)};
  const double cycles = metrics::pace(all.front(), window);
  double error = std::max(0.0, least_cycles_ - cycles);
  for (const std::vector<double>& sums : all) {
    error = std::max({error, std::abs(metrics::pace(sums, window) - cycles),
                      half_width(sums, window), change(sums, window)});
  }
  const auto in_batches = [size](std::size_t count) {
    return static_cast<std::int64_t>(count) * size;
  };
  Pace result{cycles, in_batches(window.first), in_batches(batches - window.first), {}};
  if (in_batches(batches) >= fewest_minibatches && error <= largest_bound * cycles) {
    result.relative_error_bound = error / cycles;
  }
  return result;
}

}  // namespace layerpipe::metrics
