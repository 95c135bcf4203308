#include "scheduler/placement/pipedream.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace layerpipe::placement {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Costs of stages and boundaries, in cycles.
class StageCosts {
 public:
  StageCosts(const costs::Profile& profile, const machine::Machine& machine,
             PartitionObjective objective)
      : boundaries_(boundaries(profile)), cycles_before_{0.0} {
    for (const costs::LayerProfile& layer : profile.layers) {
      cycles_before_.push_back(cycles_before_.back() +
                               static_cast<double>(layer.forward_cycles +
                                                   layer.input_gradient_cycles +
                                                   layer.weight_gradient_cycles));
    }
    if (objective == PartitionObjective::compute) return;
    for (std::size_t s = 0; s < max_stages(machine); ++s) {
      cycles_per_byte_.push_back(s == 0 ? PerByte{} : per_byte(machine, s - 1, s));
    }
  }

  [[nodiscard]] std::size_t layers() const { return boundaries_.size(); }

  [[nodiscard]] std::size_t max_stages(const machine::Machine& machine) const {
    return std::min(layers(), machine.processors.size());
  }

  /// Of layers begin..end-1.
  [[nodiscard]] double compute(std::size_t begin, std::size_t end) const {
    return cycles_before_[end] - cycles_before_[begin];
  }

  /// Of the transfers before stage `s` when that begins with layer `begin`; 0 where only stages
  /// count.
  [[nodiscard]] double boundary(std::size_t s, std::size_t begin) const {
    if (cycles_per_byte_.empty()) return 0.0;
    const costs::Boundary& before = boundaries_[begin];
    return static_cast<double>(before.activation_bytes) * cycles_per_byte_[s].forward +
           static_cast<double>(before.gradient_bytes) * cycles_per_byte_[s].backward;
  }

  [[nodiscard]] double boundary_bytes(std::size_t begin) const {
    return static_cast<double>(boundaries_[begin].activation_bytes) +
           static_cast<double>(boundaries_[begin].gradient_bytes);
  }

 private:
  struct PerByte {
    double forward = 0.0;
    double backward = 0.0;
  };

  static PerByte per_byte(const machine::Machine& machine, std::size_t from, std::size_t to) {
    return {machine.clock_hertz / bandwidth(machine, machine.route(from, to)),
            machine.clock_hertz / bandwidth(machine, machine.route(to, from))};
  }

  std::vector<costs::Boundary> boundaries_;
  std::vector<double> cycles_before_;     ///< [l]: of all layers before l
  std::vector<PerByte> cycles_per_byte_;  ///< [s]: over the boundary before stage s; may be empty
};

/// The most cycles of a stage, and of the transfers at a boundary.
struct Limits {
  double compute = 0.0;
  double boundary = 0.0;
};

/// True if there are stages, `most_stages` at most, that keep within the limits. Of all layers that
/// a stage may begin with, the last makes it shortest.
bool is_feasible(const StageCosts& costs, std::size_t most_stages, const Limits& limits) {
  const std::size_t layers = costs.layers();
  std::vector<bool> ends_before(layers + 1, false);  ///< [l]: the stages so far may hold 0..l-1
  ends_before[0] = true;
  for (std::size_t s = 0; s < most_stages; ++s) {
    std::vector<bool> ends(layers + 1, false);
    std::optional<std::size_t> begin;
    for (std::size_t end = s + 1; end <= layers; ++end) {
      const bool may_begin = ends_before[end - 1] && costs.boundary(s, end - 1) <= limits.boundary;
      if (may_begin) begin = end - 1;
      ends[end] = begin && costs.compute(*begin, end) <= limits.compute;
    }
    if (ends[layers]) return true;
    ends_before = std::move(ends);
  }
  return false;
}

/// The least number for which `is_enough`, which is true from there on; `most` is enough.
template <class Predicate>
double least(double most, Predicate is_enough) {
  if (is_enough(0.0)) return 0.0;
  double too_little = 0.0;
  double enough = most;
  for (;;) {
    const double middle = std::midpoint(too_little, enough);
    if (middle <= too_little || middle >= enough) return enough;
    (is_enough(middle) ? enough : too_little) = middle;
  }
}

/// bytes[s][end]: the fewest over the boundaries of stages 0..s, holding layers 0..end-1 within
/// limits, infinity where they cannot; cut[s][end]: first layer of s, the first of equals.
struct Table {
  std::vector<std::vector<double>> bytes;
  std::vector<std::vector<std::size_t>> cut;

  Table(const StageCosts& costs, std::size_t stages, const Limits& limits)
      : bytes(stages, std::vector<double>(costs.layers() + 1, infinity)),
        cut(stages, std::vector<std::size_t>(costs.layers() + 1, 0)) {
    for (std::size_t s = 0; s < stages; ++s) add_stage(costs, s, limits);
  }

 private:
  struct Begin {
    std::size_t layer = 0;
    double bytes = 0.0;
  };

  /// Keeps the layers that the stage may begin with, as long as it is not too long, without those
  /// that a later one is better than: so their bytes increase, and the front has the fewest.
  void add_stage(const StageCosts& costs, std::size_t s, const Limits& limits) {
    std::deque<Begin> begins;
    for (std::size_t end = s + 1; end <= costs.layers(); ++end) {
      const std::size_t last = end - 1;
      const double before = s > 0 ? bytes[s - 1][last] : last == 0 ? 0.0 : infinity;
      if (before < infinity && costs.boundary(s, last) <= limits.boundary) {
        const double sum = before + costs.boundary_bytes(last);
        while (!begins.empty() && begins.back().bytes > sum) begins.pop_back();
        begins.push_back({last, sum});
      }
      while (!begins.empty() && costs.compute(begins.front().layer, end) > limits.compute) {
        begins.pop_front();
      }
      if (begins.empty()) continue;
      bytes[s][end] = begins.front().bytes;
      cut[s][end] = begins.front().layer;
    }
  }
};

}  // namespace

std::vector<costs::ProcessorId> pipedream_partition(const costs::Profile& profile,
                                                    const machine::Machine& machine,
                                                    PartitionObjective objective) {
  const StageCosts costs(profile, machine, objective);
  const std::size_t max_stages = costs.max_stages(machine);
  const double all = costs.compute(0, costs.layers());
  const double bottleneck = least(all, [&](double cycles) {
    return is_feasible(costs, max_stages, {cycles, cycles});
  });
  const double compute = least(bottleneck, [&](double cycles) {
    return is_feasible(costs, max_stages, {cycles, bottleneck});
  });
  const Table table(costs, max_stages, {compute, bottleneck});
  std::size_t stage = 0;
  while (table.bytes[stage].back() == infinity) ++stage;
  std::vector<costs::ProcessorId> result(costs.layers());
  for (std::size_t end = costs.layers(); end > 0; --stage) {
    const std::size_t begin = table.cut[stage][end];
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(begin),
              result.begin() + static_cast<std::ptrdiff_t>(end), stage);
    if (begin == 0) break;
    end = begin;
  }
  return result;
}

}  // namespace layerpipe::placement
