#include "platforms/file/generate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <span>

#include "platforms/machine/machine.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::file {

namespace {

struct Scale {
  double value;
  std::string_view prefix;
};

constexpr Scale large[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}};
constexpr Scale small[] = {{1.0, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};

/// `value` in the largest unit of which there is at least one; 15 digits hide the rounding of the
/// division.
std::string quantity(double value, std::span<const Scale> scales, std::string_view unit) {
  constexpr double almost = 1.0 - 1e-12;
  if (value == 0.0) return fmt::format("0{}", unit);
  const Scale* scale = &scales.back();
  for (const Scale& candidate : scales) {
    if (value >= candidate.value * almost) {
      scale = &candidate;
      break;
    }
  }
  return fmt::format("{:.15g}{}{}", value / scale->value, scale->prefix, unit);
}

void require(bool condition, std::string_view what, std::string_view expected) {
  if (!condition) throw UsageError(fmt::format("{} (expected {})", what, expected));
}

void check(const PlatformSpec& spec) {
  require(
      spec.processors >= 1 && spec.processors <= static_cast<std::int64_t>(machine::max_processors),
      fmt::format("{} processors", spec.processors),
      fmt::format("1 to {}", machine::max_processors));
  require(spec.array.rows >= 1 && spec.array.cols >= 1,
          fmt::format("an array of {}x{}", spec.array.rows, spec.array.cols),
          "at least one row and one column");
  const auto is_positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  require(is_positive(spec.clock_hertz), fmt::format("a clock of {} Hz", spec.clock_hertz),
          "a positive frequency");
  require(is_positive(spec.link_bytes_per_second),
          fmt::format("a bandwidth of {} B/s", spec.link_bytes_per_second), "a positive bandwidth");
  require(spec.link_latency_seconds == 0.0 || is_positive(spec.link_latency_seconds),
          "a latency of " + base::format_given_seconds(spec.link_latency_seconds),
          "0 or a positive time");
}

std::string latency(const PlatformSpec& spec) {
  return quantity(spec.link_latency_seconds, small, "s");
}

/// XML forbids two hyphens in a comment, so the options stand there without theirs.
std::string comment(const PlatformSpec& spec) {
  const array::SystolicArray defaults;
  const array::SystolicArray& array = spec.array;
  std::string text = fmt::format(
      "<!-- Written by: layerpipe platform, with the options\n"
      "     processors {} / array {}x{} / clock {} / bandwidth {} / latency {} / topology {}",
      spec.processors, array.rows, array.cols, quantity(spec.clock_hertz, large, "Hz"),
      quantity(spec.link_bytes_per_second, large, "B/s"), latency(spec), to_string(spec.topology));
  if (array.dataflow != defaults.dataflow) {
    text += fmt::format(" /\n     dataflow {}", to_string(array.dataflow));
  }
  if (array.weight_gradient_dataflow != array.dataflow) {
    text += fmt::format(" /\n     weight-gradient-dataflow {}",
                        to_string(array.weight_gradient_dataflow));
  }
  if (array.input_gradient != defaults.input_gradient) {
    text += fmt::format(" /\n     input-gradient {}", array::to_string(array.input_gradient));
  }
  return text + ". -->\n";
}

std::string properties(const array::SystolicArray& array, std::string_view indent) {
  const auto property = [&](std::string_view id, auto value) {
    return fmt::format("{}<prop id=\"{}\" value=\"{}\"/>\n", indent, id, value);
  };
  return property("rows", array.rows) + property("cols", array.cols) +
         property("dataflow", to_string(array.dataflow)) +
         property("weight_gradient_dataflow", to_string(array.weight_gradient_dataflow)) +
         property("input_gradient", array::to_string(array.input_gradient));
}

std::string crossbar(const PlatformSpec& spec) {
  return fmt::format(
      "  <cluster id=\"machine\" prefix=\"p\" suffix=\"\" radical=\"0-{}\"\n"
      "           speed=\"{}\" bw=\"{}\" lat=\"{}\" sharing_policy=\"SPLITDUPLEX\">\n"
      "{}"
      "  </cluster>\n",
      spec.processors - 1, quantity(spec.clock_hertz, large, "f"),
      quantity(spec.link_bytes_per_second, large, "Bps"), latency(spec),
      properties(spec.array, "    "));
}

/// The routing searches a route when it is first used: a file with all of them, or Floyd's table,
/// would grow with the square or the cube of the processors.
std::string chain(const PlatformSpec& spec) {
  std::string text = "  <zone id=\"machine\" routing=\"DijkstraCache\">\n";
  const auto out = std::back_inserter(text);
  const std::string host_properties = properties(spec.array, "      ");
  for (std::int64_t i = 0; i < spec.processors; ++i) {
    fmt::format_to(out, "    <host id=\"p{}\" speed=\"{}\">\n{}    </host>\n", i,
                   quantity(spec.clock_hertz, large, "f"), host_properties);
  }
  for (std::int64_t i = 0; i + 1 < spec.processors; ++i) {
    fmt::format_to(out,
                   "    <link id=\"p{0}-p{1}\" bandwidth=\"{2}\" latency=\"{3}\" "
                   "sharing_policy=\"SPLITDUPLEX\"/>\n",
                   i, i + 1, quantity(spec.link_bytes_per_second, large, "Bps"), latency(spec));
  }
  for (std::int64_t i = 0; i + 1 < spec.processors; ++i) {
    fmt::format_to(out,
                   "    <route src=\"p{0}\" dst=\"p{1}\">"
                   "<link_ctn id=\"p{0}-p{1}\" direction=\"UP\"/></route>\n",
                   i, i + 1);
  }
  return text + "  </zone>\n";
}

}  // namespace

std::string platform_xml(const PlatformSpec& spec) {
  check(spec);
  return "<?xml version=\"1.0\"?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" +
         comment(spec) + "<platform version=\"4.1\">\n" +
         (spec.topology == machine::Topology::crossbar ? crossbar(spec) : chain(spec)) +
         "</platform>\n";
}

}  // namespace layerpipe::file
