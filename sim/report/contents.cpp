#include "sim/report/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/figures/figures.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using Json = nlohmann::ordered_json;
using base::format_count;

std::string number(const Json& object, const char* key) {
  return format_count(object.at(key).get<std::int64_t>());
}

/// With the noun that it counts, in the plural the key.
std::string number(const Json& object, const char* key, const char* singular) {
  return format_count(object.at(key).get<std::int64_t>(), singular, key);
}

std::string word(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

std::string bandwidth(double bytes_per_second) {
  return base::format_bytes(std::llround(bytes_per_second)) + "/s";
}

/// How operations are mapped, as far as it is not the default.
std::string mapping(const Json& contents) {
  std::string text = word(contents, "dataflow");
  if (contents.at("weight_gradient_dataflow") != contents.at("dataflow")) {
    text += ", weight gradient " + word(contents, "weight_gradient_dataflow");
  }
  if (word(contents, "input_gradient") != "convolution") {
    text += ", input gradient " + word(contents, "input_gradient");
  }
  return text;
}

/// " of 16.0 GB/s, 100.0 ns", or from the least to the greatest.
std::string links_summary(const Json& contents) {
  if (contents.at("links") == 0) return {};
  const auto range = [&](const char* key, auto format) {
    const double least = contents.at(key).at(0).get<double>();
    const double most = contents.at(key).at(1).get<double>();
    return least == most ? format(least) : fmt::format("{} to {}", format(least), format(most));
  };
  return fmt::format(" of {}, {}", range("link_bytes_per_second", bandwidth),
                     range("link_latency_seconds", base::format_seconds));
}

std::string platform_summary(const Json& contents) {
  const std::string topology = contents.contains("topology") && !contents.at("topology").is_null()
                                   ? word(contents, "topology") + ", "
                                   : std::string();
  const std::string array =
      contents.at("array").is_null() ? "unknown size" : word(contents, "array");
  return fmt::format("{} of {} at {}, {}, {}{}{}", number(contents, "processors", "processor"),
                     array, figures::format_frequency(contents.at("clock_hertz").get<double>()),
                     mapping(contents), topology, number(contents, "links", "link"),
                     links_summary(contents));
}

std::string workload_summary(const Json& contents) {
  const std::string input =
      contents.at("input").is_null() ? "given costs" : "input " + word(contents, "input");
  return fmt::format(
      "{}, {} with weights, {} parameters, batch {}, {}", number(contents, "layers", "layer"),
      number(contents, "weighted_layers"),
      contents.at("parameters").is_null() ? "unknown" : number(contents, "parameters"),
      number(contents, "batch"), input);
}

/// Null without links.
Json least_and_most(const machine::Machine& machine, double machine::Link::*quantity) {
  if (machine.links.empty()) return nullptr;
  const auto [least, most] = std::ranges::minmax_element(machine.links, {}, quantity);
  return {(*least).*quantity, (*most).*quantity};
}

}  // namespace

Json contents(const machine::Machine& machine) {
  const array::SystolicArray& array = machine.array;
  return {{"kind", "platform"},
          {"name", machine.name},
          {"processors", machine.processors.size()},
          {"array", array.has_size() ? Json(size_text(array)) : Json(nullptr)},
          {"clock_hertz", machine.clock_hertz},
          {"dataflow", to_string(array.dataflow)},
          {"weight_gradient_dataflow", to_string(array.weight_gradient_dataflow)},
          {"input_gradient", array::to_string(array.input_gradient)},
          {"links", machine.links.size()},
          {"link_bytes_per_second", least_and_most(machine, &machine::Link::bytes_per_second)},
          {"link_latency_seconds", least_and_most(machine, &machine::Link::latency_seconds)}};
}

Json contents(const network::Network& network) {
  const bool measured = is_measured(network);
  std::int64_t parameters = 0;
  for (const network::Layer& layer : network.layers) parameters += parameter_count(layer);
  const auto weighted = std::count_if(network.layers.begin(), network.layers.end(),
                                      [](const network::Layer& layer) { return has_gemm(layer); });
  const network::Shape& input = network.input;
  return {{"kind", "workload"},
          {"name", network.name},
          {"layers", network.layers.size()},
          {"weighted_layers", weighted},
          {"parameters", measured ? Json(nullptr) : Json(parameters)},
          {"batch", network.batch},
          {"input",
           measured ? Json(nullptr)
                    : Json(fmt::format("{}x{}x{}", input.channels, input.height, input.width))}};
}

std::string summary(const Json& contents) {
  return contents.at("kind") == "platform" ? platform_summary(contents)
                                           : workload_summary(contents);
}

std::string csv_field(const Json& contents, const std::string& key) {
  const Json value = contents.value(key, Json(nullptr));
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::string> csv_fields(const Json& contents, const std::vector<std::string>& keys) {
  std::vector<std::string> fields;
  fields.reserve(keys.size());
  for (const std::string& key : keys) fields.push_back(csv_field(contents, key));
  return fields;
}

}  // namespace layerpipe::report
