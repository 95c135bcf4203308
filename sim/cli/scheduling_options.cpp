#include "sim/cli/scheduling_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "sim/cli/given_options.hpp"
#include "sim/cli/values.hpp"
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

}  // namespace

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

}  // namespace layerpipe::cli
