#pragma once

#include <vector>

#include "workloads/base/strict_yaml.hpp"
#include "workloads/network/layer.hpp"

namespace layerpipe::read {

/// Sets the inputs of all layers and puts layers and values into the order of execution (see
/// execution_order). `values` are what the layers, which have unique names, were read from, in the
/// file's order. The key `inputs` names layers; without it a layer takes the output of the one
/// before it in the file, and the first one the network's input. Throws InputError with a position
/// for unknown names, a number of inputs that the type does not take, and a cycle.
void connect_layers(std::vector<network::Layer>& layers, std::vector<base::YamlValue>& values);

}  // namespace layerpipe::read
