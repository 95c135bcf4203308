#include "sim/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "platforms/array/dataflow_names.hpp"
#include "sim/cli/given_options.hpp"
#include "sim/cli/values.hpp"
#include "sim/trace/trace_formats.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::cli {
namespace {

using base::parse_whole_number;
using costs::Split;
using placement::PartitionObjective;
using placement::Priority;
using scheduler::Scheduler;
using scheduler::SchedulerOption;

std::string scheduler_names() {
  std::vector<std::string_view> names;
  for (const Scheduler& scheduler : scheduler::schedulers()) names.push_back(scheduler.name);
  return base::one_of(names);
}

/// The help begins with the schedules that read `option`.
CLI::Option* add_scheduler_option(CLI::App& command, SchedulerOption option,
                                  const std::string& placeholder, std::string_view description,
                                  std::function<void(const std::string&)> parse) {
  return add_value(command, option_name(option), placeholder,
                   fmt::format("{}: {}", fmt::join(scheduler::readers(option), ", "), description),
                   std::move(parse));
}

constexpr std::string_view delays_help =
    "how many of the latest updates a layer's weights lack, that is M(l): 2S (twice the stages "
    "after the layer's), S (as many as these), auto (the least with which the period is as good "
    "as with 2S), a whole number for all layers, or one for each layer with weights in order of "
    "execution, such as 4,2,0; 0 is synchronous";

DelaysChoice parse_delays_choice(std::string_view text) {
  if (text == "auto") return AutomaticDelays{};
  return parse_delays(text);
}

/// `--trace` as often as there are files, each of which passes `require`.
void add_trace_files(CLI::App& command, TraceOptions& options, const std::string& description,
                     const std::function<void(const std::string&)>& require) {
  add_value(command, "--trace", "FILE", description,
            [&options, require](const std::string& text) {
              require(text);
              options.files.push_back(text);
            })
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_trace_window(CLI::App& command, TraceOptions& options) {
  add_value(command, "--trace-iterations", "A:B",
            "Traces show minibatches A to B only, counted from 0: from the end of the one before A "
            "to the end of B (default: the whole run)",
            [&](const std::string& text) { options.window = parse_window(text); });
}

using NamedFormat = std::pair<std::string_view, report::Format>;

constexpr std::array formats{NamedFormat{"text", report::Format::text},
                             NamedFormat{"json", report::Format::json},
                             NamedFormat{"csv", report::Format::csv}};

/// Each counts for the whole machine, whatever its file says.
void add_machine_options(CLI::App& command, engine::LoadOptions& machine) {
  add_value(command, "--array", "RxC",
            "Rows and columns of every systolic array (default: the platform's)",
            [&](const std::string& text) { machine.array.size = options::parse_array(text); });
  add_value(
      command, "--dataflow", "NAME",
      fmt::format("Of forward pass and input gradient, and of the weight gradient unless the "
                  "platform gives that one of its own: {} (default: the platform's)",
                  array::dataflow_names()),
      [&](const std::string& text) { machine.array.dataflow = options::parse_dataflow(text); });
  add_value(command, "--clock", "FREQUENCY",
            "Clock of every processor, in Hz, kHz, MHz or GHz (default: the platform's)",
            [&](const std::string& text) { machine.clock_hertz = base::parse_frequency(text); });
  add_value(command, "--bandwidth", "BANDWIDTH",
            "Of every link and direction, in B/s, kB/s, MB/s, GB/s, KiB/s, ... (default: the "
            "platform's)",
            [&](const std::string& text) {
              machine.link_bytes_per_second = base::parse_bandwidth(text);
            });
  add_value(
      command, "--latency", "TIME", "Of every link, in ns, us, ms or s (default: the platform's)",
      [&](const std::string& text) { machine.link_latency_seconds = base::parse_seconds(text); });
}

}  // namespace

void add_input_options(CLI::App& command, InputOptions& options) {
  command
      .add_option("PLATFORM", options.platform,
                  "SimGrid platform file (XML), or the name of a shipped one")
      ->required()
      ->type_name("");
  command
      .add_option("WORKLOAD", options.workload,
                  "network (YAML), or the name of a shipped one; - is the standard input")
      ->required()
      ->type_name("");
  add_value(command, "--processors", "N",
            "Use only the first N processors, in natural order of their names (default: all)",
            [&](const std::string& text) {
              options.processors = parse_whole_number(text, options::processor_range);
            });
  add_value(command, "--batch", "B", "Samples per minibatch (default: the workload's)",
            [&](const std::string& text) {
              options.batch = parse_whole_number(text, options::batch_range);
            });
  add_machine_options(command, options.machine);
  command
      .add_flag("--first-input-gradient", options.first_input_gradient,
                "Layers that take the network's input alone compute their input gradients, too "
                "(default: no)")
      ->disable_flag_override();
}

void add_scheduler_options(CLI::App& command, placement::SchedulerOptions& options) {
  add_scheduler_option(
      command, SchedulerOption::objective, "NAME",
      "what the partition makes small, communication (the slowest of all stages and of all "
      "transfers between them) or compute (the slowest stage alone) (default: communication)",
      [&](const std::string& text) {
        constexpr std::array all{PartitionObjective::communication, PartitionObjective::compute};
        options.objective =
            options::parse_name(text, all, [](PartitionObjective o) { return to_string(o); });
      });
  add_scheduler_option(command, SchedulerOption::alpha, "FACTOR",
                       fmt::format("factor by which the target period grows while no placement "
                                   "meets it; above 1 (default: {})",
                                   options.alpha),
                       [&](const std::string& text) { options.alpha = parse_alpha(text); });
  add_scheduler_option(
      command, SchedulerOption::max_lent_weight_bytes, "SIZE",
      "lend no input gradient for which more weights than this would be sent per minibatch, e.g. "
      "64kB; digits alone are bytes (default: unlimited)",
      [&](const std::string& text) { options.max_lent_weight_bytes = parse_size(text); });
  add_scheduler_option(
      command, SchedulerOption::max_lent_bytes, "SIZE",
      "lend no input gradient for which all that lending the whole of it moves, weights and "
      "gradients, is more than this per minibatch (default: unlimited)",
      [&](const std::string& text) { options.max_lent_bytes = parse_size(text); });
  add_split_option(command, options.split);
  add_scheduler_option(
      command, SchedulerOption::priority, "NAME",
      "which of its ready operations a processor prefers: fixed (input gradients before forward "
      "passes before weight gradients) or critical-loop (the same, and weight gradients on the "
      "critical loop, in a chain the first layer's, with the input gradients) (default: fixed, or "
      "what an allocation file says)",
      [&](const std::string& text) {
        constexpr std::array all{Priority::fixed, Priority::critical_loop};
        options.priority = options::parse_name(text, all, [](Priority p) { return to_string(p); });
      });
  add_scheduler_option(
      command, SchedulerOption::micro_batches, "N",
      "equal slices of a minibatch that go through the pipeline one after the other; divides the "
      "batch (default: its greatest divisor that is at most four times the processors)",
      [&](const std::string& text) {
        options.micro_batches = parse_whole_number(text, options::batch_range);
      });
  add_scheduler_option(command, SchedulerOption::chunks, "N",
                       fmt::format("stages of each processor (default: {})", options.chunks),
                       [&](const std::string& text) {
                         options.chunks = parse_whole_number(text, {1, 1000000});
                       });
  add_scheduler_option(
      command, SchedulerOption::placement, "NAME",
      "how layers are placed: whole (the best stages of whole layers), even (as many layers on "
      "each "
      "processor), layerpipe (parts of input gradients are borrowed, Algorithm 1) or "
      "layerpipe-optimal (default: whole)",
      [&](const std::string& text) {
        options.placement = options::parse_name(text, placement::all_placement_rules,
                                                [](auto rule) { return to_string(rule); });
      });
}

void add_delays_option(CLI::App& command, std::optional<DelaysChoice>& delays) {
  add_scheduler_option(
      command, SchedulerOption::delays, "M",
      fmt::format("{} (default: 2S, or what an allocation file says)", delays_help),
      [&](const std::string& text) { delays = parse_delays_choice(text); });
}

void add_delays_option(CLI::App& command, std::vector<DelaysChoice>& delays) {
  add_scheduler_option(
      command, SchedulerOption::delays, "M",
      fmt::format("{}; may be given several times, each a row for each of these schedules "
                  "(default: 2S, or what an allocation file says)",
                  delays_help),
      [&](const std::string& text) {
        const DelaysChoice choice = parse_delays_choice(text);
        if (std::ranges::find(delays, choice) != delays.end()) {
          throw InputError(
              fmt::format("{} is given twice (expected each once)", base::in_quotes(text)));
        }
        delays.push_back(choice);
      })
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_split_option(CLI::App& command, Split& split) {
  add_scheduler_option(
      command, SchedulerOption::split, "NAME",
      "what an input gradient is divided into where a part of it is lent: ideal (any fraction, "
      "cycles in proportion), channels (whole input channels) or batch (whole samples), whose "
      "parts cost what they take on the array by themselves (default: ideal)",
      [&](const std::string& text) { split = options::parse_split(text); });
}

void add_schedule_option(CLI::App& command, const Scheduler*& scheduler) {
  scheduler = options::parse_scheduler("layerpipe");
  add_value(command, "--schedule", "NAME",
            fmt::format("{} (default: {})", scheduler_names(), scheduler->name),
            [&](const std::string& text) { scheduler = options::parse_scheduler(text); });
}

void add_schedules_option(CLI::App& command, std::vector<const Scheduler*>& schedulers) {
  schedulers = {options::parse_scheduler("pipedream"), options::parse_scheduler("layerpipe")};
  add_value(
      command, "--schedules", "A,B,...",
      fmt::format("Schedules, separated by commas: {}; or all, without those that do not fit; "
                  "speed-ups are over the first (default: pipedream,layerpipe)",
                  scheduler_names()),
      [&](const std::string& text) {
        schedulers.clear();
        if (text == "all") return;
        for (const std::string_view name : split_at_commas(text)) {
          const Scheduler* scheduler = options::parse_scheduler(name);
          if (std::ranges::find(schedulers, scheduler) != schedulers.end()) {
            throw InputError(fmt::format("{} is named twice (expected each schedule once)",
                                         base::in_quotes(name)));
          }
          schedulers.push_back(scheduler);
        }
      });
}

void add_allocation_option(CLI::App& command, std::optional<std::string>& file) {
  CLI::Option* option = add_value(
      command, "--allocation", "FILE",
      "Instead of --schedule and its options: place layers and lend as FILE says, the JSON that "
      "`layerpipe schedule` writes, edited or not; all cycles are computed anew",
      [&](const std::string& text) { file = text; });
  option->excludes(command.get_option("--schedule"));
  for (const SchedulerOption other : scheduler::all_scheduler_options) {
    if (other == SchedulerOption::delays || other == SchedulerOption::priority) continue;
    option->excludes(command.get_option(option_name(other)));
  }
}

void add_allocations_option(CLI::App& command, std::vector<std::string>& files) {
  command
      .add_option("--allocation", files,
                  "One more row, after those of --schedules: layers are placed and lent as FILE "
                  "says, the JSON that `layerpipe schedule` writes, edited or not; may be given "
                  "several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_schedule_file_option(CLI::App& command, std::optional<std::string>& file) {
  CLI::Option* option = add_value(
      command, "--schedule-file", "FILE",
      "Instead of --schedule and its options, but --placement and --objective: each processor does "
      "what its row of FILE says, CSV of torch.distributed.pipelining with cells such as 2F0",
      [&](const std::string& text) { file = text; });
  option->excludes(command.get_option("--schedule"));
  option->excludes(command.get_option("--allocation"));
  for (const SchedulerOption other : scheduler::all_scheduler_options) {
    if (other == SchedulerOption::placement || other == SchedulerOption::objective) continue;
    option->excludes(command.get_option(option_name(other)));
  }
}

void add_schedule_files_option(CLI::App& command, std::vector<std::string>& files) {
  command
      .add_option("--schedule-file", files,
                  "One more row, after those of --allocation: each processor does what its row of "
                  "FILE says, CSV of torch.distributed.pipelining with cells such as 2F0; may be "
                  "given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_stages_option(CLI::App& command, std::optional<Stages>& stages) {
  add_value(command, "--stages", "A,B,...",
            "Place whole layers, in order of execution: A with weights on the first processor, B "
            "on the second, and so on; under --schedule layerpipe or pipedream; with "
            "--schedule-file A in stage 0, B in stage 1, and so on (default: the schedule places "
            "them)",
            [&](const std::string& text) { stages = parse_stages(text); })
      ->excludes(command.get_option("--allocation"));
}

void add_stages_option(CLI::App& command, std::vector<Stages>& stages) {
  add_value(
      command, "--stages", "A,B,...",
      "More rows, after those of --schedules, one for each of layerpipe and pipedream that is "
      "among them: whole layers, in order of execution, A with weights on the first "
      "processor, B on the second, and so on; may be given several times",
      [&](const std::string& text) { stages.push_back(parse_stages(text)); })
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_iterations_option(CLI::App& command, std::int64_t& iterations) {
  add_value(command, "--iterations", "N",
            fmt::format("Minibatches to simulate (default: {})", iterations),
            [&](const std::string& text) {
              iterations = parse_whole_number(text, options::iteration_range);
            });
}

void add_length_options(CLI::App& command, LengthOptions& options) {
  add_value(
      command, "--iterations", "N",
      fmt::format("Minibatches to simulate; with --until steady at most (default: {}; {} with "
                  "--until iterations)",
                  run::most_until_steady, run::iterations_by_default),
      [&](const std::string& text) {
        options.iterations = parse_whole_number(text, options::iteration_range);
      });
  add_value(
      command, "--until", "NAME",
      "When a run ends: iterations (all of them) or steady (as soon as the period is proven, "
      "or its mean is known within the tolerance; all of them at most) (default: steady; "
      "iterations, if --iterations is given)",
      [&](const std::string& text) { options.until_steady = options::parse_until_steady(text); });
  add_value(
      command, "--tolerance", "FRACTION",
      fmt::format("With --until steady: how far a mean may be from the period that an endless "
                  "run would have (default: {})",
                  options.tolerance),
      [&](const std::string& text) { options.tolerance = options::parse_tolerance(text); });
}

void add_output_option(CLI::App& command, std::optional<std::string>& file) {
  add_value(command, "--output", "FILE",
            "Write to FILE, whole or not at all (default: standard output)",
            [&](const std::string& text) { file = text; });
}

void add_output_options(CLI::App& command, OutputOptions& options) {
  add_value(command, "--format", "NAME", "text, json or csv (default: text)",
            [&](const std::string& text) {
              options.format = options::parse_name(text, formats, [](const NamedFormat& named) {
                                 return named.first;
                               }).second;
            });
  add_output_option(command, options.file);
}

void add_output_options(CLI::App& command, OutputOptions& options, bool& as_pytorch) {
  add_value(command, "--format", "NAME",
            "text, json, csv or pytorch (what each processor does with micro-batches, as "
            "torch.distributed.pipelining and --schedule-file read it) (default: text)",
            [&](const std::string& text) {
              constexpr NamedFormat pytorch{"pytorch", report::Format::csv};
              constexpr std::array all{formats[0], formats[1], formats[2], pytorch};
              const NamedFormat named =
                  options::parse_name(text, all, [](const NamedFormat& f) { return f.first; });
              options.format = named.second;
              as_pytorch = named.first == pytorch.first;
            });
  add_output_option(command, options.file);
}

void add_trace_options(CLI::App& command, TraceOptions& options) {
  add_trace_files(command, options,
                  "Write a trace of the run to FILE, whole or not at all, in the format of its "
                  "suffix: .paje or .trace (Paje), .json (Chrome, Perfetto), .csv or .svg (a "
                  "picture of some minibatches); may be given several times (default: none)",
                  trace::require_trace_suffix);
  add_trace_window(command, options);
}

void add_picture_options(CLI::App& command, TraceOptions& options) {
  add_trace_files(command, options,
                  "Write a picture of all runs to FILE, whole or not at all: one above the other, "
                  "on the same scale of time; its suffix is .svg; may be given several times "
                  "(default: none)",
                  [](const std::string& path) {
                    if (trace::is_picture(path)) return;
                    throw InputError(fmt::format(
                        "{} is no picture, and other traces hold one run (expected .svg, or "
                        "`layerpipe simulate --trace` for each schedule)",
                        base::in_quotes(path)));
                  });
  add_trace_window(command, options);
}

void check(const TraceOptions& options, std::int64_t iterations) {
  if (!options.window) return;
  if (options.files.empty()) {
    throw UsageError("--trace-iterations: there is no trace (expected --trace FILE as well)");
  }
  if (options.window->last >= iterations) {
    throw UsageError(
        fmt::format("--trace-iterations: the run has no minibatch {} (expected 0 to {})",
                    options.window->last, iterations - 1));
  }
}

}  // namespace layerpipe::cli
