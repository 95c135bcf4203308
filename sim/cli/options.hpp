#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/report/report.hpp"
#include "sim/run/run.hpp"
#include "sim/trace/trace_recorder.hpp"

/// The options that several commands share, each declared once. Every `add_...` declares options on
/// a command; parsing writes them to the struct, which must live until then, and throws UsageError
/// for a value that is not as the help says.
namespace layerpipe::cli {

/// What is simulated on what.
struct InputOptions {
  std::string platform;
  std::string workload;
  std::optional<std::int64_t> processors;
  std::optional<std::int64_t> batch;
  engine::LoadOptions machine;  ///< instead of what the platform says
  bool first_input_gradient = false;
};

void add_input_options(CLI::App& command, InputOptions& options);

void add_iterations_option(CLI::App& command, std::int64_t& iterations);

/// How long runs are.
struct LengthOptions {
  std::optional<std::int64_t> iterations;
  std::optional<bool> until_steady;
  double tolerance = run::default_tolerance;
};

/// `--iterations`, `--until` and `--tolerance`.
void add_length_options(CLI::App& command, LengthOptions& options);

struct OutputOptions {
  report::Format format = report::Format::text;
  std::optional<std::string> file;  ///< standard output if there is none
};

void add_output_option(CLI::App& command, std::optional<std::string>& file);
void add_output_options(CLI::App& command, OutputOptions& options);

/// The same, with a format beside those of reports: PyTorch's schedules, which are CSV.
void add_output_options(CLI::App& command, OutputOptions& options, bool& as_pytorch);

struct TraceOptions {
  std::vector<std::string> files;
  std::optional<trace::TraceWindow> window;
};

/// `--trace`, any number of times, and `--trace-iterations`.
void add_trace_options(CLI::App& command, TraceOptions& options);

/// The same for a picture of several runs: other formats are refused.
void add_picture_options(CLI::App& command, TraceOptions& options);

/// Throws UsageError if there is a window without a trace, or one that a run of `iterations`
/// minibatches does not have.
void check(const TraceOptions& options, std::int64_t iterations);

}  // namespace layerpipe::cli
