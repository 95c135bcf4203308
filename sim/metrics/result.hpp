#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace layerpipe::metrics {

/// All that is reported of one simulated run. Members have the names of the keys of the JSON form;
/// units and definitions: docs/formats/result.md.

struct EngineInfo {
  std::string simgrid_version;
  std::vector<std::string> settings;
};

/// From the start of a minibatch's first forward pass to the end of its last update.
struct Latency {
  double mean_cycles = 0.0;
  std::int64_t least_cycles = 0;
  std::int64_t most_cycles = 0;
};

/// Mean latencies of the first and the last of equal parts of the minibatches that the mean period
/// is over.
struct LatencyGrowth {
  double from_cycles = 0.0;
  double to_cycles = 0.0;
};

struct SteadyState {
  bool exact = false;  ///< the ends of minibatches repeat exactly
  double period_cycles = 0.0;
  double period_seconds = 0.0;
  std::int64_t minibatches_per_period = 0;
  std::int64_t first_minibatch = 0;
  double samples_per_second = 0.0;
  std::int64_t mean_over_minibatches = 0;           ///< 0 where it is exact
  std::optional<double> relative_error_bound = {};  ///< none where the run gives no ground
  std::string outcome;                              ///< "exact", "within_tolerance" or "limit"
  std::optional<Latency> latency = {};  ///< none where too few minibatches show it, or it grows
  std::optional<LatencyGrowth> latency_growth = {};  ///< where it grew as long as it was watched
};

struct Bounds {
  std::int64_t slowest_processor_cycles = 0;
  std::int64_t one_processor_cycles = 0;
  double communication_cycles = 0.0;  ///< of the busiest channel or link
};

struct StallCycles {
  std::int64_t fill = 0;
  std::int64_t activation = 0;
  std::int64_t gradient = 0;
  std::int64_t weights = 0;
  std::int64_t weight_version = 0;
  std::int64_t channel = 0;
  std::int64_t sharing = 0;
  std::int64_t drain = 0;
};

[[nodiscard]] std::int64_t total(const StallCycles& stalls);

struct MemoryBytes {
  std::int64_t weights = 0;
  std::int64_t activations = 0;
  std::int64_t gradients = 0;
  std::int64_t queued = 0;
  std::int64_t total = 0;  ///< of a peak, at one date: at most the sum of the others
};

/// The most in flight at once, minibatches where there are no micro-batches: each from its stage's
/// first forward pass until its backward pass has ended, and once for each stage of the processor.
struct PeakMicroBatches {
  std::int64_t until_input_gradient = 0;   ///< B has ended there; W where there is no B
  std::int64_t until_weight_gradient = 0;  ///< W has ended there
};

struct ProcessorResult {
  std::string name;
  std::vector<std::string> layers;
  std::int64_t busy_cycles = 0;
  std::int64_t busy_cycles_per_minibatch = 0;
  double utilization = 0.0;
  StallCycles stall_cycles;
  MemoryBytes peak_memory_bytes;
  PeakMicroBatches peak_micro_batches = {};
};

struct Communication {
  std::int64_t mandatory_bytes = 0;
  std::int64_t additional_weights_bytes = 0;
  std::int64_t additional_gradients_bytes = 0;
};

struct ChannelResult {
  std::string from;
  std::string to;
  std::int64_t bytes_per_minibatch = 0;
  double busy_fraction = 0.0;
};

struct LinkResult {
  std::string name;
  std::int64_t bytes_per_minibatch = 0;
  /// None for a link that is not shared: each transfer has all of it, so that it is never full.
  std::optional<double> busy_fraction = 0.0;
  double bytes_per_second = 0.0;
  double latency_seconds = 0.0;
};

/// The most versions that were alive at once, of what a layer keeps on its own processor, and of
/// weights that it lends, on the other; and the most inputs that waited.
struct LayerResult {
  std::string name;
  std::int64_t weight_versions = 0;
  std::int64_t activation_versions = 0;
  std::int64_t staleness = 0;  ///< updates that the weights of a forward pass lack
  std::int64_t lent_weight_versions = 0;
  std::int64_t queued = 0;
  std::int64_t pending_updates = 0;  ///< that had not ended when a forward pass started
};

struct Result {
  std::string platform;
  std::string workload;
  std::string schedule;
  nlohmann::ordered_json options;  ///< every option in force, an object
  std::int64_t batch = 0;
  std::int64_t micro_batches = 1;         ///< in a minibatch
  std::int64_t iterations = 0;            ///< simulated
  std::int64_t iterations_requested = 0;  ///< as many, or more where the run could stop early
  std::int64_t processors_given = 0;
  std::int64_t processors_used = 0;
  EngineInfo engine;
  SteadyState steady_state;
  std::int64_t makespan_cycles = 0;
  Bounds bounds;
  std::vector<ProcessorResult> processors;
  Communication communication_per_minibatch;
  std::vector<ChannelResult> channels;
  std::vector<LinkResult> links;
  std::vector<LayerResult> layers;
};

}  // namespace layerpipe::metrics
