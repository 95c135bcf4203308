#pragma once

#include <string_view>

#include "workloads/base/strict_yaml.hpp"
#include "workloads/network/layer.hpp"

namespace layerpipe::read {

/// Largest number of channels, features or samples, and largest side of an image or window.
inline constexpr std::int64_t max_dimension = 1'000'000'000;

/// Longest name of a layer or a network, in bytes.
inline constexpr std::size_t max_name_bytes = 1024;

/// What a file calls the network's own input; no layer has this name.
inline constexpr std::string_view network_input_name = "input";

/// Reads one item of `layers` (format: docs/formats/workload.md). Its shapes are left as they are,
/// and so are its inputs, which may be layers further down the file; the name is empty if the file
/// gives none.
[[nodiscard]] network::Layer read_layer(const base::YamlValue& value);

}  // namespace layerpipe::read
