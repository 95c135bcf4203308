#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/array/systolic_array.hpp"
#include "platforms/machine/topology.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/process/provenance.hpp"
#include "sim/run/run.hpp"
#include "workloads/network/training_gemms.hpp"

namespace layerpipe::sweep {

/// A network that a sweep simulates, as text: each point reads it with its own batch.
struct SweepWorkload {
  std::string name;  ///< the network's
  std::string file;
  std::string text;
  std::int64_t batch = 1;  ///< the file's own
};

/// A platform file that a sweep simulates on.
struct SweepPlatform {
  std::string name;  ///< the file's, without folder and extension
  std::string file;
  array::SystolicArray array;
  std::int64_t processors = 1;  ///< all that it has
};

/// What is simulated: every list is one dimension of a product (points.hpp), and has an item or
/// more, all different. `platforms` may be empty: then platforms are generated, from the lists from
/// `arrays` to `topologies`, which else have one item each that nobody reads.
struct SweepSpec {
  std::string file;  ///< that it was read from
  std::vector<SweepWorkload> workloads;
  std::vector<SweepPlatform> platforms;
  std::vector<array::ArraySize> arrays;
  std::vector<array::Dataflow> dataflows;
  std::vector<std::optional<array::Dataflow>> weight_gradient_dataflows;  ///< as the dataflow
  std::vector<network::InputGradientMapping> input_gradients;
  std::vector<double> clocks_hertz;
  std::vector<double> bandwidths;  ///< of links, in bytes per second
  std::vector<double> latencies;   ///< of links, in seconds
  std::vector<machine::Topology> topologies;
  std::vector<std::optional<std::int64_t>> processors;  ///< all of the platform file's
  std::vector<std::optional<std::int64_t>> batches;     ///< the workload's own
  std::vector<const scheduler::Scheduler*> schedulers;
  std::vector<costs::Split> splits;
  std::vector<std::int64_t> iterations;
  bool until_steady = true;  ///< runs may end when their period is proven, or well enough known
  double tolerance = run::default_tolerance;
  std::vector<process::InputFile> inputs;  ///< the spec, and the files that it names
};

/// The file that a spec means by a name. Throws InputError, without a position, if there is none.
struct SpecFiles {
  std::function<std::string(const std::string&)> workload;
  std::function<std::string(const std::string&)> platform;
};

/// Reads the spec at `path` (format: docs/formats/sweep.md), and the workloads and platforms that
/// it names. Throws InputError, with file, line and column, for whatever is not as documented
/// there, and InfeasibleError for a platform file whose hosts differ.
[[nodiscard]] SweepSpec read_spec(const std::string& path, const SpecFiles& files);

/// The same for the `text` of a file. `file` names it in errors.
[[nodiscard]] SweepSpec parse_spec(std::string_view text, const std::string& file,
                                   const SpecFiles& files);

}  // namespace layerpipe::sweep
