#include "sim/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sweep {
namespace {

constexpr std::size_t most_points = 1'000'000;

/// The digits of a number in a system whose bases are the lengths of lists, the lowest digit first.
class Digits {
 public:
  explicit Digits(std::size_t number) : rest_(number) {}

  /// The item of `values` that the next digit stands for.
  template <typename Value>
  const Value& next(const std::vector<Value>& values) {
    const std::size_t digit = rest_ % values.size();
    rest_ /= values.size();
    return values[digit];
  }

 private:
  std::size_t rest_;
};

file::PlatformSpec generated_machine(const SweepSpec& spec, Digits& digits,
                                     std::optional<std::int64_t> processors) {
  file::PlatformSpec machine;
  machine.processors = processors.value_or(machine.processors);
  machine.topology = digits.next(spec.topologies);
  machine.link_latency_seconds = digits.next(spec.latencies);
  machine.link_bytes_per_second = digits.next(spec.bandwidths);
  machine.clock_hertz = digits.next(spec.clocks_hertz);
  machine.array.input_gradient = digits.next(spec.input_gradients);
  const auto weight_gradient = digits.next(spec.weight_gradient_dataflows);
  machine.array.dataflow = digits.next(spec.dataflows);
  machine.array.weight_gradient_dataflow = weight_gradient.value_or(machine.array.dataflow);
  const array::ArraySize size = digits.next(spec.arrays);
  machine.array.rows = size.rows;
  machine.array.cols = size.cols;
  return machine;
}

Point point(const SweepSpec& spec, std::size_t number) {
  Digits digits(number);
  Point point;
  point.number = number;
  point.until_steady = spec.until_steady;
  point.tolerance = spec.tolerance;
  point.iterations = digits.next(spec.iterations);
  point.split = digits.next(spec.splits);
  point.scheduler = digits.next(spec.schedulers);
  const auto batch = digits.next(spec.batches);
  const auto processors = digits.next(spec.processors);
  if (spec.platforms.empty()) {
    point.machine = generated_machine(spec, digits, processors);
  } else {
    point.platform = &digits.next(spec.platforms);
    point.machine.array = point.platform->array;
    point.machine.processors = processors.value_or(point.platform->processors);
  }
  point.workload = &digits.next(spec.workloads);
  point.batch = batch.value_or(point.workload->batch);
  return point;
}

std::size_t number_of_points(const SweepSpec& spec) {
  const std::size_t platforms = spec.platforms.empty() ? 1 : spec.platforms.size();
  std::size_t product = 1;
  for (const std::size_t length :
       {spec.workloads.size(), platforms, spec.arrays.size(), spec.dataflows.size(),
        spec.weight_gradient_dataflows.size(), spec.input_gradients.size(),
        spec.clocks_hertz.size(), spec.bandwidths.size(), spec.latencies.size(),
        spec.topologies.size(), spec.processors.size(), spec.batches.size(), spec.schedulers.size(),
        spec.splits.size(), spec.iterations.size()}) {
    product *= length;
    if (product > most_points) {
      throw InfeasibleError(fmt::format("{}: more than {} points (expected shorter lists)",
                                        spec.file, base::format_count(most_points)));
    }
  }
  return product;
}

/// Equal for points with equal platforms. Arrays are no part of what SimGrid loads.
auto platform_key(const Point& point) {
  const file::PlatformSpec& machine = point.machine;
  return std::tuple{point.platform == nullptr ? "" : point.platform->file,
                    point.platform == nullptr ? machine.processors : 0,
                    machine.clock_hertz,
                    machine.link_bytes_per_second,
                    machine.link_latency_seconds,
                    machine.topology};
}

}  // namespace

std::vector<Point> points(const SweepSpec& spec) {
  const std::size_t count = number_of_points(spec);
  std::vector<Point> result;
  result.reserve(count);
  for (std::size_t number = 0; number < count; ++number) result.push_back(point(spec, number));
  return result;
}

std::vector<Point> share_of(std::vector<Point> points, const Share& share) {
  std::erase_if(points, [&](const Point& point) { return !share.has(point); });
  return points;
}

std::vector<Chunk> chunks_by_platform(const std::vector<Point>& points, std::size_t longest) {
  std::map<decltype(platform_key(points.front())), std::size_t> open;
  std::vector<Chunk> result;
  for (const Point& point : points) {
    const auto [entry, is_new] = open.try_emplace(platform_key(point), result.size());
    if (is_new || result[entry->second].size() == longest) {
      entry->second = result.size();
      result.emplace_back();
    }
    result[entry->second].push_back(point);
  }
  return result;
}

}  // namespace layerpipe::sweep
