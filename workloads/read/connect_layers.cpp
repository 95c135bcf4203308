#include "workloads/read/connect_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"
#include "workloads/network/execution_order.hpp"
#include "workloads/read/read_layer.hpp"

namespace layerpipe::read {
namespace {

using PlacesByName = std::map<std::string_view, std::size_t>;

std::optional<base::YamlValue> inputs_value(const base::YamlValue& layer) {
  return layer.mapping("a layer").find("inputs");
}

/// A list of names, or one name without brackets.
std::vector<base::YamlValue> input_names(const base::YamlValue& inputs) {
  if (inputs.is_text()) return {inputs};
  return inputs.items("a list of names of layers");
}

[[noreturn]] void fail_unknown(const base::YamlValue& value, const std::string& name,
                               const std::vector<network::Layer>& layers) {
  std::vector<std::string_view> known{network_input_name};
  for (const network::Layer& layer : layers) known.push_back(layer.name);
  const auto near = base::nearest(name, known);
  const std::string hint = near ? fmt::format("nearest: {}", base::in_quotes(*near))
                                : std::string("expected the name of a layer, or input");
  value.fail(fmt::format("inputs: there is no layer {} ({})", base::in_quotes(name), hint));
}

std::vector<std::size_t> read_inputs(const base::YamlValue& inputs, const PlacesByName& places,
                                     const std::vector<network::Layer>& layers) {
  std::vector<std::size_t> result;
  for (const base::YamlValue& value : input_names(inputs)) {
    const std::string name = value.text(max_name_bytes);
    const auto place = places.find(name);
    if (place == places.end()) fail_unknown(value, name, layers);
    result.push_back(place->second);
  }
  return result;
}

void check_number_of_inputs(const network::Layer& layer, const base::YamlValue& where) {
  const bool joins =
      layer.type == network::LayerType::add || layer.type == network::LayerType::concat;
  const bool is_open_ended = joins || layer.type == network::LayerType::measured;
  const std::size_t least = joins ? 2 : 1;
  const std::size_t count = layer.inputs.size();
  if (count == least || (count > least && is_open_ended)) return;
  where.fail(fmt::format("layer {}: {} with {} input{} (expected {}{})",
                         base::in_quotes(layer.name), described(layer.type), count,
                         count == 1 ? "" : "s", is_open_ended ? "at least " : "", least));
}

/// "'a' -> 'b' -> 'a'"; a long one without its middle.
std::string describe_cycle(const std::vector<network::Layer>& layers,
                           const std::vector<std::size_t>& cycle) {
  constexpr std::size_t at_each_end = 4;
  const bool is_long = cycle.size() > 2 * at_each_end + 1;
  std::string result;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (is_long && i == at_each_end) {
      i = cycle.size() - at_each_end;
      result += fmt::format("{} more -> ", i - at_each_end);
    }
    result += base::in_quotes(layers[cycle[i]].name) + " -> ";
  }
  return result + base::in_quotes(layers[cycle.front()].name);
}

/// At the name that closes the cycle: its first layer stands before its input in the file, so that
/// it has the key `inputs`.
[[noreturn]] void fail_cycle(const std::vector<network::Layer>& layers,
                             const std::vector<base::YamlValue>& values) {
  const std::vector<std::size_t> cycle = find_cycle(layers);
  const std::vector<std::size_t>& inputs = layers[cycle.front()].inputs;
  const auto closing = std::find(inputs.begin(), inputs.end(), cycle.back()) - inputs.begin();
  const std::vector<base::YamlValue> names = input_names(*inputs_value(values[cycle.front()]));
  names[static_cast<std::size_t>(closing)].fail(
      fmt::format("inputs: a cycle {} (expected none)", describe_cycle(layers, cycle)));
}

void put_in_order(const std::vector<std::size_t>& order, std::vector<network::Layer>& layers,
                  std::vector<base::YamlValue>& values) {
  std::vector<std::size_t> new_place(order.size());
  std::vector<network::Layer> ordered_layers;
  std::vector<base::YamlValue> ordered_values;
  ordered_layers.reserve(order.size());
  ordered_values.reserve(order.size());
  for (const std::size_t place : order) {
    new_place[place] = ordered_layers.size();
    ordered_layers.push_back(std::move(layers[place]));
    ordered_values.push_back(values[place]);
    for (std::size_t& input : ordered_layers.back().inputs) {
      if (input != network::Layer::network_input) input = new_place[input];
    }
  }
  layers = std::move(ordered_layers);
  values = std::move(ordered_values);
}

}  // namespace

void connect_layers(std::vector<network::Layer>& layers, std::vector<base::YamlValue>& values) {
  PlacesByName places{{network_input_name, network::Layer::network_input}};
  for (std::size_t i = 0; i < layers.size(); ++i) places.emplace(layers[i].name, i);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto inputs = inputs_value(values[i]);
    if (inputs) {
      layers[i].inputs = read_inputs(*inputs, places, layers);
    } else {
      layers[i].inputs = {i == 0 ? network::Layer::network_input : i - 1};
    }
    check_number_of_inputs(layers[i], inputs.value_or(values[i]));
  }
  const std::vector<std::size_t> order = execution_order(layers);
  if (order.size() < layers.size()) fail_cycle(layers, values);
  put_in_order(order, layers, values);
}

}  // namespace layerpipe::read
