#include "sim/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "platforms/array/dataflow_names.hpp"
#include "sim/cli/values.hpp"
#include "sim/trace/trace_formats.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::cli {
namespace {

using base::parse_whole_number;

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
