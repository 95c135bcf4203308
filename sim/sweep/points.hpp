#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/file/generate.hpp"
#include "sim/sweep/spec.hpp"

namespace layerpipe::sweep {

/// One run of a sweep.
struct Point {
  std::size_t number = 0;  ///< from 0
  const SweepWorkload* workload = nullptr;
  std::int64_t batch = 1;
  /// None: the platform is generated. Else `machine` has the file's processors and arrays, or fewer
  /// processors, and nothing more.
  const SweepPlatform* platform = nullptr;
  file::PlatformSpec machine;
  const scheduler::Scheduler* scheduler = nullptr;
  costs::Split split = costs::Split::ideal;
  std::int64_t iterations = run::iterations_by_default;
  bool until_steady = false;
  double tolerance = run::default_tolerance;
};

/// All combinations of the spec's values, in the order of SweepSpec's lists, of which the first
/// changes slowest. Points refer to `spec`. Throws InfeasibleError if they are more than a million.
[[nodiscard]] std::vector<Point> points(const SweepSpec& spec);

/// The part K of N of a sweep: each N-th point, from the K-th on.
struct Share {
  std::size_t part = 1;  ///< from 1
  std::size_t of = 1;

  [[nodiscard]] bool has(const Point& point) const { return point.number % of == part - 1; }
};

[[nodiscard]] std::vector<Point> share_of(std::vector<Point> points, const Share& share);

/// Points that are simulated on one loaded platform, one after the other.
using Chunk = std::vector<Point>;

/// All `points`, those with equal platforms together, at most `longest` of them. Equal platforms
/// may have different arrays.
[[nodiscard]] std::vector<Chunk> chunks_by_platform(const std::vector<Point>& points,
                                                    std::size_t longest);

}  // namespace layerpipe::sweep
