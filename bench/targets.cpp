#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "bench/bare_simgrid.hpp"
#include "bench/count_activities.hpp"
#include "platforms/file/generate.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/process/isolated_process.hpp"
#include "workloads/read/read_network.hpp"

// What the simulation has to reach, beside a bare SimGrid program that does the same work in the
// same run. Each measurement is the least processor time of several, in processes of their own,
// the two sides by turns: other work on the machine makes single ones slower.
namespace layerpipe::bench {
namespace {

namespace fs = std::filesystem;

constexpr int repetitions = 5;

/// A network on a platform under a schedule.
struct Case {
  std::string name;
  std::string platform;  ///< file
  std::string network;   ///< YAML
  std::string schedule;
  std::int64_t minibatches = 0;
};

/// Processor seconds per operation or transfer, and how many of these a minibatch has.
struct Cost {
  double activities = 0.0;
  double simulation = std::numeric_limits<double>::max();
  double bare = std::numeric_limits<double>::max();
};

template <class Work>
double processor_seconds(Work work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

Cost measured(const Case& subject) {
  const std::string answer = process::run_isolated([&] {
    const auto machine = engine::load_machine(subject.platform);
    const auto network = read::parse_network(subject.network, "network");
    const auto profile = costs::profile(machine, network);
    const auto schedule =
        scheduler::find_scheduler(subject.schedule).plan(profile, machine, {}).schedule;
    const Programs order = programs(machine, schedule, subject.minibatches);
    double activities = 0.0;
    Cost least;
    for (int i = 0; i < repetitions; ++i) {
      const std::string simulated = process::run_isolated([&] {
        CountActivities sink;
        const double seconds = processor_seconds(
            [&] { engine::simulate(machine, schedule, subject.minibatches, sink); });
        return fmt::format("{} {}", seconds, sink.count);
      });
      const std::string bare = process::run_isolated([&] {
        return fmt::format("{}", processor_seconds([&] {
                             run_bare(machine, schedule, subject.minibatches, order);
                           }));
      });
      activities = std::stod(simulated.substr(simulated.find(' ')));
      least.simulation = std::min(least.simulation, std::stod(simulated));
      least.bare = std::min(least.bare, std::stod(bare));
    }
    return fmt::format("{} {} {}", activities / static_cast<double>(subject.minibatches),
                       least.simulation / activities, least.bare / activities);
  });
  Cost cost;
  std::istringstream(answer) >> cost.activities >> cost.simulation >> cost.bare;
  return cost;
}

/// Layers that all take the same time, to be one each on a processor.
std::string uniform_layers(std::int64_t layers) {
  std::string text = "layers:\n";
  for (std::int64_t l = 0; l < layers; ++l) {
    text +=
        "  - {type: measured, forward: 1000 cycles, input_gradient: 1000 cycles, weight_gradient: "
        "1000 cycles, activation: 6400 B, weight: 6400 B}\n";
  }
  return text;
}

std::string content(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Prints lines, and remembers whether a target was missed.
class Table {
 public:
  void at_least(const std::string& what, double figure, double target) {
    line(what, figure, ">=", target, figure >= target);
  }
  void at_most(const std::string& what, double figure, double target) {
    line(what, figure, "<=", target, figure <= target);
  }
  [[nodiscard]] bool all_met() const { return all_met_; }

 private:
  void line(const std::string& what, double figure, const char* relation, double target,
            bool is_met) {
    fmt::print("{:<66} {:>8.2f}  {} {:<6.4g} {}\n", what, figure, relation, target,
               is_met ? "met" : "MISSED");
    std::fflush(stdout);
    all_met_ = all_met_ && is_met;
  }

  bool all_met_ = true;
};

class Targets {
 public:
  Targets() : folder_(fs::temp_directory_path() / fmt::format("layerpipe-targets-{}", ::getpid())) {
    fs::create_directory(folder_);
  }
  Targets(const Targets&) = delete;
  Targets& operator=(const Targets&) = delete;
  ~Targets() { fs::remove_all(folder_); }

  bool check() {
    const std::string root = LAYERPIPE_SOURCE_DIR;
    const std::string vgg16 = content(root + "/workloads/vgg16.yaml");
    const Cost eight = ratio(uniform_chain(8, 4000), 3.0);
    ratio({"VGG16, pipedream, a chain of 8", root + "/platforms/eight-32x32-chain.xml", vgg16,
           "pipedream", 2000},
          3.0);
    ratio(uniform_chain(64, 1000), 2.5);
    ratio(uniform_chain(512, 100), 2.5);
    ratio({"VGG16, layerpipe, a crossbar of 8 (shared links)", root + "/platforms/eight-32x32.xml",
           vgg16, "layerpipe", 1000},
          0.9);
    const Cost shared = ratio({"VGG16, pipedream, a crossbar of 8 (shared links)",
                               root + "/platforms/eight-32x32.xml", vgg16, "pipedream", 1000},
                              0.9);
    const Cost many = measured(uniform_chain(1024, 50));
    table_.at_most("cost of an activity: 1024 processors / 8", many.simulation / eight.simulation,
                   2.0);
    table_.at_most("a sweep's point, VGG16 on a crossbar of 8, 200 minibatches / bare",
                   sweep_seconds() / (200.0 * shared.activities * shared.bare), 2.0);
    table_.at_most("from process start to the first events, ms", start_milliseconds(), 60.0);
    table_.at_most("peak memory: 20,000 iterations / 200", peak_memory(20'000) / peak_memory(200),
                   1.05);
    return table_.all_met();
  }

 private:
  Case uniform_chain(std::int64_t processors, std::int64_t minibatches) {
    file::PlatformSpec spec;
    spec.processors = processors;
    spec.topology = machine::Topology::chain;
    const std::string file = (folder_ / fmt::format("chain-{}.xml", processors)).string();
    std::ofstream(file) << platform_xml(spec);
    return {fmt::format("uniform layers, pipedream, a chain of {}", processors), file,
            uniform_layers(processors), "pipedream", minibatches};
  }

  Cost ratio(const Case& subject, double target) {
    const Cost cost = measured(subject);
    table_.at_least(fmt::format("{}: {:.2f} M/s / bare {:.2f} M/s", subject.name,
                                1e-6 / cost.simulation, 1e-6 / cost.bare),
                    cost.bare / cost.simulation, target);
    return cost;
  }

  /// Of the program, and the processes that it waits for.
  struct Use {
    double seconds = 0.0;         ///< of processor time
    double peak_kilobytes = 0.0;  ///< of the largest of its processes
  };

  static double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }

  static Use program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "layerpipe");
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execv(LAYERPIPE_PROGRAM, words.data());
      ::_exit(1);
    }
    int status = 0;
    rusage use{};
    ::wait4(pid, &status, 0, &use);
    if (status != 0) throw InternalError("the program fails");
    return {seconds(use.ru_utime) + seconds(use.ru_stime), static_cast<double>(use.ru_maxrss)};
  }

  /// Simulates the sample network with its report in /dev/null.
  static Use simulate(std::int64_t iterations) {
    return program({"simulate", "three-32x32", "sample4", "--iterations",
                    std::to_string(iterations), "--output", "/dev/null"});
  }

  /// Of one point, all that a sweep does for it included.
  double sweep_seconds() {
    constexpr int points = 20;
    const std::string spec = (folder_ / "sweep.yaml").string();
    std::ofstream file(spec);
    file << "workloads: vgg16\narrays: 32x32\nprocessors: 8\nschedules: pipedream\n"
            "iterations: 200\nbatches: [1";
    for (int batch = 2; batch <= points; ++batch) file << ", " << batch;
    file << "]\n";
    file.close();
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < repetitions; ++i) {
      const std::string rows = (folder_ / fmt::format("sweep-{}.csv", i)).string();
      least = std::min(least, program({"sweep", spec, "--output", rows}).seconds);
    }
    return least / points;
  }

  /// Of a whole run of one minibatch: its end is after the first event, and its processes wait for
  /// each other.
  static double start_milliseconds() {
    double least = simulate(1).seconds;
    for (int i = 0; i < 4 * repetitions; ++i) least = std::min(least, simulate(1).seconds);
    return 1e3 * least;
  }

  static double peak_memory(std::int64_t iterations) { return simulate(iterations).peak_kilobytes; }

  fs::path folder_;
  Table table_;
};

}  // namespace
}  // namespace layerpipe::bench

int main() {
  try {
    return layerpipe::bench::Targets().check() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "layerpipe_targets: {}\n", error.what());
    return 2;
  }
}
