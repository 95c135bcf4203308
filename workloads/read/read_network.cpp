#include "workloads/read/read_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "workloads/base/checked.hpp"
#include "workloads/base/strict_yaml.hpp"
#include "workloads/base/text.hpp"
#include "workloads/network/infer_shapes.hpp"
#include "workloads/read/connect_layers.hpp"
#include "workloads/read/read_layer.hpp"

namespace layerpipe::read {
namespace {

constexpr base::Range dimension{1, max_dimension};

std::string read_name(const base::YamlMapping& root, const std::string& file) {
  if (const auto name = root.find("name")) return name->text(max_name_bytes);
  std::string stem = std::filesystem::path(file).stem().string();
  if (stem.empty() || stem.size() > max_name_bytes || !base::is_printable_line(stem)) {
    root.fail("the file's name cannot be the network's name (expected the key 'name')");
  }
  return stem;
}

network::ElementBytes read_element_bytes(const base::YamlValue& value) {
  const base::YamlMapping mapping = value.mapping("bytes_per_element");
  mapping.allow_only(std::array<std::string_view, 3>{"activations", "weights", "gradients"});
  const auto read = [&](std::string_view key, std::int64_t otherwise) {
    const auto bytes = mapping.find(key);
    return bytes ? bytes->whole_number({1, 64}) : otherwise;
  };
  const network::ElementBytes defaults;
  return {.activation = read("activations", defaults.activation),
          .weight = read("weights", defaults.weight),
          .gradient = read("gradients", defaults.gradient)};
}

network::InputKind input_kind(const base::YamlMapping& input) {
  return input.has("features") ? network::InputKind::features : network::InputKind::image;
}

network::Shape read_input(const base::YamlMapping& input) {
  if (input_kind(input) == network::InputKind::features) {
    input.allow_only(std::array<std::string_view, 1>{"features"});
    return {input.at("features").whole_number(dimension), 1, 1};
  }
  input.allow_only(std::array<std::string_view, 4>{"channels", "height", "width", "features"});
  const network::Shape shape{input.at("channels").whole_number(dimension),
                             input.at("height").whole_number(dimension),
                             input.at("width").whole_number(dimension)};
  try {
    static_cast<void>(base::exact_product({shape.channels, shape.height, shape.width},
                                          "number of elements of the input"));
  } catch (const InputError& error) {
    input.fail(error.what());
  }
  return shape;
}

/// All layers are measured, or none is; at least one has a GEMM.
void check_types(const std::vector<network::Layer>& layers, const base::YamlValue& list,
                 const std::vector<base::YamlValue>& values) {
  if (std::none_of(layers.begin(), layers.end(), network::has_gemm)) {
    list.fail(
        "no layer has weights (expected at least one conv2d, conv_transpose2d, linear or measured "
        "layer)");
  }
  const bool is_measured = layers.front().type == network::LayerType::measured;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if ((layers[i].type == network::LayerType::measured) == is_measured) continue;
    values[i].fail(
        fmt::format("{} in a network that begins with {} (expected measured layers only, or none)",
                    described(layers[i].type), described(layers.front().type)));
  }
}

/// Names the nameless ones, e.g. conv2d_2 the second conv2d, and refuses what is there twice.
void name_layers(std::vector<network::Layer>& layers, const std::vector<base::YamlValue>& values) {
  std::map<network::LayerType, int> count;
  std::map<std::string, std::size_t> first_use;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    network::Layer& layer = layers[i];
    ++count[layer.type];
    const bool is_default = layer.name.empty();
    if (is_default) layer.name = fmt::format("{}_{}", to_string(layer.type), count[layer.type]);
    const auto [use, is_new] = first_use.emplace(layer.name, i);
    if (is_new) continue;
    values[i].fail(fmt::format(
        "layer name {}{} is that of layer {} as well (expected unique names)",
        base::in_quotes(layer.name), is_default ? ", the default," : "", use->second + 1));
  }
}

/// Layers and `values` are in order of execution afterwards.
std::vector<network::Layer> read_layers(const base::YamlValue& list,
                                        std::vector<base::YamlValue>& values) {
  std::vector<network::Layer> layers;
  layers.reserve(values.size());
  for (const base::YamlValue& value : values) layers.push_back(read_layer(value));
  check_types(layers, list, values);
  name_layers(layers, values);
  connect_layers(layers, values);
  return layers;
}

std::string describe(const network::Network& network, const network::LayerProblem& problem) {
  return fmt::format("layer {}: {}", base::in_quotes(network.layers[problem.layer].name),
                     problem.message);
}

/// The costs of measured layers are given: they need no input, and no bytes per element.
void read_measured_settings(const base::YamlMapping& root, network::Network& network) {
  if (const auto value = root.find("bytes_per_element")) {
    value->fail("bytes_per_element has no meaning for measured layers (expected no such key)");
  }
  if (const auto value = root.find("input")) network.input = read_input(value->mapping("input"));
  if (const auto value = root.find("batch")) network.batch = value->whole_number(dimension);
}

void read_shapes(const base::YamlMapping& root, const std::vector<base::YamlValue>& values,
                 network::Network& network) {
  if (const auto value = root.find("bytes_per_element")) {
    network.element_bytes = read_element_bytes(*value);
  }
  network.batch = root.at("batch").whole_number(dimension);
  const base::YamlMapping input = root.at("input").mapping("input");
  network.input = read_input(input);
  if (const auto problem = infer_shapes(network, input_kind(input))) {
    values[problem->layer].fail(describe(network, *problem));
  }
}

void replace_batch(network::Network& network, std::int64_t batch, const std::string& file,
                   const std::vector<base::YamlValue>& values) {
  if (batch < dimension.min || batch > dimension.max) {
    throw UsageError(fmt::format("a batch of {} is out of range (expected {} to {})", batch,
                                 base::format_count(dimension.min),
                                 base::format_count(dimension.max)));
  }
  if (is_measured(network)) {
    throw InfeasibleError(
        fmt::format("{}: the batch of measured layers cannot be changed (their costs are given for "
                    "a whole minibatch)",
                    file));
  }
  network.batch = batch;
  if (const auto problem = find_size_problem(network)) {
    throw InfeasibleError(fmt::format("{}: with a batch of {}, {}",
                                      to_string(values[problem->layer].position()), batch,
                                      describe(network, *problem)));
  }
}

}  // namespace

network::Network read_network(const std::string& path, std::optional<std::int64_t> batch) {
  return parse_network(base::read_file(path, base::YamlLimits::bytes), base::shown_path(path),
                       batch);
}

network::Network parse_network(std::string_view text, const std::string& file,
                               std::optional<std::int64_t> batch) {
  const base::YamlDocument document(text, file);
  const base::YamlMapping root = base::YamlValue(document).mapping("the file");
  root.allow_only(
      std::array<std::string_view, 5>{"name", "batch", "input", "bytes_per_element", "layers"});
  const base::YamlValue list = root.at("layers");
  std::vector<base::YamlValue> values = list.items("a list of layers");

  network::Network network;
  network.name = read_name(root, file);
  network.layers = read_layers(list, values);
  if (is_measured(network)) {
    read_measured_settings(root, network);
  } else {
    read_shapes(root, values, network);
  }
  if (const auto problem = find_size_problem(network)) {
    values[problem->layer].fail(describe(network, *problem));
  }
  if (batch) replace_batch(network, *batch, file, values);
  return network;
}

}  // namespace layerpipe::read
