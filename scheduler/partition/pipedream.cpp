#include "scheduler/partition/pipedream.hpp"

#include <algorithm>
#include <limits>

namespace layerpipe::scheduler {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Costs of stages and boundaries, in cycles.
class StageCosts {
 public:
  StageCosts(const Profile& profile, const platforms::Machine& machine,
             PartitionObjective objective)
      : boundaries_(boundaries(profile)), cycles_before_{0.0} {
    for (const LayerProfile& layer : profile.layers) {
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

  [[nodiscard]] std::size_t max_stages(const platforms::Machine& machine) const {
    return std::min(layers(), machine.processors.size());
  }

  /// Of layers begin..end-1.
  [[nodiscard]] double compute(std::size_t begin, std::size_t end) const {
    return cycles_before_[end] - cycles_before_[begin];
  }

  /// Slower of stage `s` when it holds layers begin..end-1, and the boundary before it.
  [[nodiscard]] double stage(std::size_t s, std::size_t begin, std::size_t end) const {
    if (begin == 0 || cycles_per_byte_.empty()) return compute(begin, end);
    const Boundary& before = boundaries_[begin];
    const double boundary =
        static_cast<double>(before.activation_bytes) * cycles_per_byte_[s].forward +
        static_cast<double>(before.gradient_bytes) * cycles_per_byte_[s].backward;
    return std::max(compute(begin, end), boundary);
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

  static PerByte per_byte(const platforms::Machine& machine, std::size_t from, std::size_t to) {
    return {machine.clock_hertz / bandwidth(machine, machine.route(from, to)),
            machine.clock_hertz / bandwidth(machine, machine.route(to, from))};
  }

  std::vector<Boundary> boundaries_;
  std::vector<double> cycles_before_;     ///< [l]: of all layers before l
  std::vector<PerByte> cycles_per_byte_;  ///< [s]: over the boundary before stage s; may be empty
};

/// cost[s][end]: best value of stages 0..s holding layers 0..end-1; cut[s][end]: first layer of s.
struct Table {
  std::vector<std::vector<double>> cost;
  std::vector<std::vector<std::size_t>> cut;

  /// `combine(cost of the stages before, stage, begin, end)` gives the cost of one more stage, and
  /// `most_compute(best cost so far)` the cycles above which a stage is of no use.
  template <class Combine, class MostCompute>
  Table(const StageCosts& costs, std::size_t stages, Combine combine, MostCompute most_compute)
      : cost(stages, std::vector<double>(costs.layers() + 1, infinity)),
        cut(stages, std::vector<std::size_t>(costs.layers() + 1, 0)) {
    const std::size_t layers = costs.layers();
    for (std::size_t end = 1; end <= layers; ++end) cost[0][end] = combine(0.0, 0, 0, end);
    for (std::size_t s = 1; s < stages; ++s) {
      for (std::size_t end = s + 1; end <= layers; ++end) {
        double& best = cost[s][end];
        for (std::size_t begin = end; begin-- > s;) {
          if (costs.compute(begin, end) > most_compute(best)) break;
          const double candidate = combine(cost[s - 1][begin], s, begin, end);
          if (candidate == infinity || candidate > best) continue;
          best = candidate;
          cut[s][end] = begin;
        }
      }
    }
  }
};

/// Least possible maximum over the stages of `cost(stage, begin, end)`, which is no less than the
/// cycles of the stage.
template <class Cost>
double least_maximum(const StageCosts& costs, std::size_t stages, Cost cost) {
  const Table table(
      costs, stages,
      [&](double before, std::size_t s, std::size_t begin, std::size_t end) {
        return std::max(before, cost(s, begin, end));
      },
      [](double best) { return best; });
  double best = infinity;
  for (const std::vector<double>& row : table.cost) best = std::min(best, row.back());
  return best;
}

}  // namespace

std::vector<ProcessorId> pipedream_partition(const Profile& profile,
                                             const platforms::Machine& machine,
                                             PartitionObjective objective) {
  const StageCosts costs(profile, machine, objective);
  const std::size_t max_stages = costs.max_stages(machine);
  const double bottleneck =
      least_maximum(costs, max_stages, [&](std::size_t s, std::size_t begin, std::size_t end) {
        return costs.stage(s, begin, end);
      });
  const auto reaches_bottleneck = [&](std::size_t s, std::size_t begin, std::size_t end) {
    return costs.stage(s, begin, end) <= bottleneck;
  };
  const double compute =
      least_maximum(costs, max_stages, [&](std::size_t s, std::size_t begin, std::size_t end) {
        return reaches_bottleneck(s, begin, end) ? costs.compute(begin, end) : infinity;
      });
  const Table bytes(
      costs, max_stages,
      [&](double before, std::size_t s, std::size_t begin, std::size_t end) {
        const bool is_among_best =
            reaches_bottleneck(s, begin, end) && costs.compute(begin, end) <= compute;
        return is_among_best ? before + costs.boundary_bytes(begin) : infinity;
      },
      [&](double) { return compute; });
  std::size_t stage = 0;
  while (bytes.cost[stage].back() == infinity) ++stage;
  std::vector<ProcessorId> result(costs.layers());
  for (std::size_t end = costs.layers(); end > 0; --stage) {
    const std::size_t begin = bytes.cut[stage][end];
    std::fill(result.begin() + static_cast<std::ptrdiff_t>(begin),
              result.begin() + static_cast<std::ptrdiff_t>(end), stage);
    if (begin == 0) break;
    end = begin;
  }
  return result;
}

}  // namespace layerpipe::scheduler
