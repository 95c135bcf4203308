#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/array/array_overrides.hpp"
#include "platforms/machine/machine.hpp"

namespace layerpipe::engine {

/// What SimGrid is configured with before a platform is loaded, each as "key:value". With these a
/// message alone on its way takes exactly latency + bytes / bandwidth. All flows are updated
/// together (network/optim:Full): with lazy updates a link is overbooked when two flows from one
/// source begin at the same date, since only the links of the first get new shares. Sums of weights
/// are exact to 10^-11 (sharing_precision) where the largest weight is 1 (prepare_links).
[[nodiscard]] std::vector<std::string> simgrid_settings();

/// What counts instead of what the file says.
struct LoadOptions {
  array::ArrayOverrides array = {};                  ///< of every host
  std::optional<double> clock_hertz = {};            ///< of every host
  std::optional<double> link_bytes_per_second = {};  ///< of every link
  std::optional<double> link_latency_seconds = {};   ///< of every link
};

/// Loads and seals the SimGrid platform at `path` (format: docs/formats/platform.md), after it has
/// been checked and then loaded for trial in a process of its own, where SimGrid may abort.
/// Nothing reaches the standard streams, and SimGrid's log is silenced from here on. Signal
/// handlers are afterwards those from before.
///
/// A process can load one platform in its life: SimGrid keeps its engine until the process ends, as
/// simgrid::s4u::Engine::get_instance(), and nobody else owns it. Bandwidths and latencies stand
/// there as in the machine, speeds as in the file. The engine is not to be run in this process, but
/// in a copy of it (run_isolated), any number of times.
///
/// Machine::name is the file's name without folder and extension. Machine::links are all links but
/// SimGrid's loopback; a split-duplex link counts as two. Machine::route asks SimGrid each time;
/// it throws InputError also for a route whose latency does not lie on its links.
///
/// Throws InputError and InfeasibleError as file::read_platform_file, InputError for whatever
/// else SimGrid finds wrong with the file, InfeasibleError if SimGrid computes for more than 1 s
/// (and 1 s more for each 8 MiB of the file, or each 16,384 processors) or takes more than 384 MiB
/// for it or if hosts differ in their clocks, and InternalError if this
/// process has loaded a platform before.
[[nodiscard]] machine::Machine load_machine(const std::string& path,
                                            const LoadOptions& options = {});

/// What `see` says of the machine at `path`, which is loaded for this alone, in a process of its
/// own and once: any number of times, and at half the cost. Throws as load_machine, and the Errors
/// of `see`, within the same limits.
[[nodiscard]] std::string inspect_machine(
    const std::string& path, const std::function<std::string(const machine::Machine&)>& see);

}  // namespace layerpipe::engine
