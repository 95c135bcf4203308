#include "sim/engine/load_machine.hpp"

#include <fmt/format.h>
#include <xbt/log.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <simgrid/s4u.hpp>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "platforms/file/platform_file.hpp"
#include "platforms/file/root_cluster.hpp"
#include "sim/engine/platform_in_memory.hpp"
#include "sim/engine/simgrid_refusal.hpp"
#include "sim/engine/simgrid_versions.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/process/resource_limits.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/resource_error.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace sg4 = simgrid::s4u;

namespace layerpipe::engine {

namespace {

using base::in_quotes;
using file::PlatformFile;
using machine::Machine;
using machine::Route;

/// Puts back what SimGrid's engine replaces: it reports and exits on SIGINT.
class KeptSignalHandlers {
 public:
  KeptSignalHandlers() {
    for (Handler& handler : handlers_) ::sigaction(handler.signal, nullptr, &handler.action);
  }
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;
  KeptSignalHandlers& operator=(const KeptSignalHandlers&) = delete;
  ~KeptSignalHandlers() {
    for (const Handler& handler : handlers_) {
      ::sigaction(handler.signal, &handler.action, nullptr);
    }
  }

 private:
  struct Handler {
    int signal;
    struct sigaction action;
  };
  Handler handlers_[3] = {{SIGINT, {}}, {SIGSEGV, {}}, {SIGBUS, {}}};
};

/// What a trial may take beyond this process. The largest platform that `layerpipe platform` writes
/// takes about half of it.
constexpr std::size_t trial_bytes = std::size_t{384} << 20U;

/// About three times what SimGrid needs for a file of this size or with so many processors, if none
/// of its elements takes more than linear time.
std::chrono::seconds trial_time(const PlatformFile& file) {
  constexpr std::size_t bytes_per_second = std::size_t{8} << 20U;
  constexpr std::size_t processors_per_second = 16'384;
  return std::chrono::seconds(
      1 + std::max(file.bytes / bytes_per_second, file.hosts.size() / processors_per_second));
}

[[noreturn]] void refuse_as_too_large(const std::string& path, std::chrono::seconds time) {
  throw InfeasibleError(fmt::format(
      "{}: SimGrid needs more than {} s or {} MiB to load it (expected fewer processors and links, "
      "or a <cluster>, or routing DijkstraCache instead of Full and Floyd)",
      path, time.count(), trial_bytes >> 20U));
}

/// A platform file, checked, as SimGrid can load it: without a byte order mark, and no cluster that
/// needs a zone without one.
class LoadableFile {
 public:
  LoadableFile(const std::string& path, const array::ArrayOverrides& overrides) : path_(path) {
    const std::string text = file::read_platform_text(path);
    content = file::check_platform(text, path, overrides);
    std::string_view plain = text;
    if (plain.starts_with(base::byte_order_mark)) {
      plain.remove_prefix(base::byte_order_mark.size());
    }
    if (const auto zoned = file::with_zone_around_cluster(plain)) {
      copy_.emplace(*zoned);
    } else if (plain.size() < text.size()) {
      copy_.emplace(plain);
    }
  }

  /// As the user knows it.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// For SimGrid.
  [[nodiscard]] std::string path_to_load() const { return copy_ ? copy_->path() : path_; }

  /// What SimGrid has to say against it.
  [[nodiscard]] InputError refusal(std::string message) const {
    const std::string known = path_to_load();
    const std::size_t place = copy_ ? message.find(known) : std::string::npos;
    if (place != std::string::npos) message.replace(place, known.size(), path_);
    return simgrid_refusal(path_, message);
  }

  PlatformFile content;

 private:
  std::string path_;
  std::optional<PlatformInMemory> copy_;
};

/// What `work` returns, which loads the file in a process of its own: SimGrid may die there, or
/// never come to an end.
std::string run_trial(const LoadableFile& file, const std::function<std::string()>& work) {
  const std::chrono::seconds time = trial_time(file.content);
  try {
    return process::run_isolated([&] {
      process::limit_further_memory(trial_bytes);
      process::limit_computing_time(time);
      try {
        return work();
      } catch (const std::bad_alloc&) {
        refuse_as_too_large(file.path(), time);
      }
    });
  } catch (const OutOfMemory&) {
    refuse_as_too_large(file.path(), time);
  } catch (const process::ProcessDeath& death) {
    if (death.signal() == SIGXCPU) refuse_as_too_large(file.path(), time);
    throw file.refusal(death.complaint().empty() ? death.what() : death.complaint());
  }
}

constexpr const char* loopback = "__loopback__";  ///< SimGrid's name of its own link

/// Throws InputError with what SimGrid has to say against the file.
void load_and_seal(const LoadableFile& file) {
  xbt_log_control_set("root.thresh:critical");
  std::string program = "layerpipe";
  char* arguments[] = {program.data(), nullptr};
  int count = 1;
  sg4::Engine* const engine = sg4::Engine::get_instance(&count, arguments);
  for (const std::string& setting : simgrid_settings()) sg4::Engine::set_config(setting);
  try {
    engine->load_platform(file.path_to_load());
    engine->seal_platform();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw file.refusal(error.what());
  }
}

std::vector<sg4::Host*> sorted_hosts() {
  std::vector<sg4::Host*> hosts = sg4::Engine::get_instance()->get_all_hosts();
  std::ranges::sort(hosts, [](const sg4::Host* left, const sg4::Host* right) {
    return machine::natural_less(left->get_name(), right->get_name());
  });
  return hosts;
}

/// Of all links but SimGrid's own.
void replace_links(const LoadOptions& options) {
  for (sg4::Link* link : sg4::Engine::get_instance()->get_all_links()) {
    if (link->get_name() == loopback) continue;
    if (options.link_bytes_per_second) link->set_bandwidth(*options.link_bytes_per_second);
    if (options.link_latency_seconds) link->set_latency(*options.link_latency_seconds);
  }
}

/// The clock of all `hosts`.
double common_clock(const std::vector<sg4::Host*>& hosts, const PlatformFile& file) {
  const double clock = hosts.front()->get_speed();
  for (const sg4::Host* host : hosts) {
    const SourcePosition& position = file.hosts.at(host->get_name());
    if (host->get_speed() == clock) continue;
    throw InfeasibleError(
        fmt::format("{}: host {} has a clock of {} Hz, {} one of {} Hz; expected equal processors",
                    to_string(position), in_quotes(host->get_name()), host->get_speed(),
                    in_quotes(hosts.front()->get_name()), clock));
  }
  return clock;
}

/// Links and their indices in Machine::links.
class Network {
 public:
  /// `positions` of hosts by their names.
  Network(std::string path, std::vector<sg4::Host*> hosts,
          std::map<std::string, SourcePosition> positions)
      : path_(std::move(path)), hosts_(std::move(hosts)), positions_(std::move(positions)) {
    for (const sg4::Link* link : sg4::Engine::get_instance()->get_all_links()) {
      if (link->get_name() == loopback) continue;
      check(*link);
      indices_.emplace(link, links_.size());
      links_.push_back({link->get_name(), link->get_bandwidth(),
                        link->get_sharing_policy() != sg4::Link::SharingPolicy::FATPIPE,
                        link->get_latency()});
    }
  }

  [[nodiscard]] const std::vector<machine::Link>& links() const { return links_; }

  [[nodiscard]] Route route(std::size_t from, std::size_t to) const {
    std::vector<sg4::Link*> crossed;
    double latency = 0.0;
    try {
      hosts_.at(from)->route_to(hosts_.at(to), crossed, &latency);
    } catch (const std::exception&) {
      crossed.clear();
    }
    if (crossed.empty()) refuse_route("no route", from, to);
    if (crossed.size() > machine::max_route_links) {
      throw InfeasibleError(
          fmt::format("{}: {} links on the route from {} to {} (at most {} can be simulated)",
                      to_string(positions_.at(hosts_[from]->get_name())), crossed.size(),
                      hosts_[from]->get_name(), hosts_[to]->get_name(), machine::max_route_links));
    }
    Route route;
    std::unordered_set<std::size_t> seen;
    for (const sg4::Link* link : crossed) {
      const auto index = indices_.find(link);
      if (index == indices_.end()) refuse_route("a loopback link on the route", from, to);
      if (!seen.insert(index->second).second) {
        refuse_route(fmt::format("link {} twice on the route", in_quotes(link->get_name())), from,
                     to);
      }
      route.links.push_back(index->second);
      route.latency_seconds += link->get_latency();
    }
    constexpr double tolerance = 1e-9;
    if (std::abs(route.latency_seconds - latency) > tolerance * latency) {
      refuse_route("latency that lies on no link on the route", from, to);
    }
    return route;
  }

 private:
  void check(const sg4::Link& link) const {
    const double bandwidth = link.get_bandwidth();
    const double latency = link.get_latency();
    if (bandwidth > 0.0 && std::isfinite(bandwidth) && latency >= 0.0 && std::isfinite(latency)) {
      return;
    }
    throw InputError(
        {path_, 0, 0},
        fmt::format("link {} has {} B/s and {} (expected a positive bandwidth and no "
                    "negative latency)",
                    in_quotes(link.get_name()), bandwidth, base::format_given_seconds(latency)));
  }

  [[noreturn]] void refuse_route(std::string_view what, std::size_t from, std::size_t to) const {
    const std::string& source = hosts_[from]->get_name();
    throw InputError(positions_.at(source),
                     fmt::format("{} from {} to {} (expected one over links of the file)", what,
                                 source, hosts_[to]->get_name()));
  }

  std::string path_;
  std::vector<sg4::Host*> hosts_;
  std::map<std::string, SourcePosition> positions_;
  std::vector<machine::Link> links_;
  std::unordered_map<const sg4::Link*, std::size_t> indices_;
};

void require_no_engine() {
  if (sg4::Engine::is_initialized()) {
    throw InternalError("this process has loaded a platform already");
  }
}

/// What the engine of this process has loaded from `path`.
Machine loaded_machine(const std::string& path, PlatformFile file, const LoadOptions& options) {
  const std::vector<sg4::Host*> hosts = sorted_hosts();
  Machine machine;
  machine.name = std::filesystem::path(path).stem().string();
  machine.array = file.array;
  machine.clock_hertz = options.clock_hertz ? *options.clock_hertz : common_clock(hosts, file);
  for (const sg4::Host* host : hosts) machine.processors.push_back(host->get_name());
  const auto network = std::make_shared<const Network>(path, hosts, std::move(file.hosts));
  machine.links = network->links();
  machine.route = [network](std::size_t from, std::size_t to) { return network->route(from, to); };
  return machine;
}

}  // namespace

std::vector<std::string> simgrid_settings() {
  return {"network/model:CM02",      "network/optim:Full",          "network/crosstraffic:0",
          "network/TCP-gamma:0",     timing_precision() + ":1e-12", sharing_precision() + ":1e-11",
          "network/loopback-bw:1e18"};
}

Machine load_machine(const std::string& path, const LoadOptions& options) {
  require_no_engine();
  LoadableFile file(path, options.array);
  run_trial(file, [&] {
    load_and_seal(file);
    return std::string();
  });
  {
    const KeptSignalHandlers kept;
    load_and_seal(file);
  }
  replace_links(options);
  return loaded_machine(path, std::move(file.content), options);
}

std::string inspect_machine(const std::string& path,
                            const std::function<std::string(const Machine&)>& see) {
  require_no_engine();
  LoadableFile file(path, {});
  return run_trial(file, [&] {
    load_and_seal(file);
    return see(loaded_machine(path, std::move(file.content), {}));
  });
}

}  // namespace layerpipe::engine
