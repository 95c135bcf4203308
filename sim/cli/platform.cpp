#include <memory>
#include <optional>
#include <string>

#include "platforms/array/dataflow_names.hpp"
#include "platforms/file/generate.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/values.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::cli {
namespace {

using array::Dataflow;

struct PlatformOptions {
  file::PlatformSpec spec{.array = {.rows = 32, .cols = 32}};
  std::optional<Dataflow> weight_gradient_dataflow;
  std::optional<std::string> output_file;
};

int platform(const PlatformOptions& options, const process::Provenance& provenance) {
  Destination destination({.file = options.output_file});
  file::PlatformSpec spec = options.spec;
  spec.array.weight_gradient_dataflow =
      options.weight_gradient_dataflow.value_or(spec.array.dataflow);
  destination.write(platform_xml(spec), provenance);
  return 0;
}

void add_processor_options(CLI::App& command, PlatformOptions& options) {
  add_value(command, "--processors", "N", "Processors, p0, p1, ... (default: 3)",
            [&](const std::string& text) {
              options.spec.processors = base::parse_whole_number(text, options::processor_range);
            });
  add_value(command, "--array", "RxC", "Rows and columns of every systolic array (default: 32x32)",
            [&](const std::string& text) {
              const array::ArraySize size = options::parse_array(text);
              options.spec.array.rows = size.rows;
              options.spec.array.cols = size.cols;
            });
  add_value(
      command, "--clock", "FREQUENCY",
      "Clock of the arrays, in Hz, kHz, MHz or GHz (default: 1GHz)",
      [&](const std::string& text) { options.spec.clock_hertz = base::parse_frequency(text); });
}

void add_dataflow_options(CLI::App& command, PlatformOptions& options) {
  add_value(command, "--dataflow", "NAME",
            "Of forward pass and input gradient: " + array::dataflow_names() +
                " (default: weight-stationary)",
            [&](const std::string& text) {
              options.spec.array.dataflow = options::parse_dataflow(text);
            });
  add_value(command, "--weight-gradient-dataflow", "NAME",
            "Of the weight gradient, the same names (default: as --dataflow)",
            [&](const std::string& text) {
              options.weight_gradient_dataflow = options::parse_dataflow(text);
            });
  add_value(command, "--input-gradient", "NAME",
            "How input gradients of convolutions are computed: convolution or gemm (default: "
            "convolution)",
            [&](const std::string& text) {
              options.spec.array.input_gradient = options::parse_input_gradient(text);
            });
}

void add_network_options(CLI::App& command, PlatformOptions& options) {
  add_value(command, "--bandwidth", "BANDWIDTH",
            "Of every link and direction, in B/s, kB/s, MB/s, GB/s, KiB/s, ... (default: 64GB/s)",
            [&](const std::string& text) {
              options.spec.link_bytes_per_second = base::parse_bandwidth(text);
            });
  add_value(command, "--latency", "TIME", "Of every link, in ns, us, ms or s (default: 100ns)",
            [&](const std::string& text) {
              options.spec.link_latency_seconds = base::parse_seconds(text);
            });
  add_value(
      command, "--topology", "NAME",
      "crossbar (a link from each processor to a switch) or chain (links between "
      "neighbours) (default: crossbar)",
      [&](const std::string& text) { options.spec.topology = options::parse_topology(text); });
}

}  // namespace

Command add_platform(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("platform", "Write a platform file (SimGrid XML) of equal arrays");
  const auto options = std::make_shared<PlatformOptions>();
  add_processor_options(*command, *options);
  add_dataflow_options(*command, *options);
  add_network_options(*command, *options);
  add_output_option(*command, options->output_file);
  command->footer(
      "Example:\n"
      "  layerpipe platform --processors 8 --array 128x128 --topology chain --output eight.xml");
  return {command, [options](const process::Provenance& provenance) {
            return platform(*options, provenance);
          }};
}

}  // namespace layerpipe::cli
