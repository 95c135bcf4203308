#pragma once

#include <cstdint>
#include <string>

#include "platforms/array/systolic_array.hpp"
#include "platforms/machine/topology.hpp"

namespace layerpipe::file {

/// Equal processors p0, p1, ... and equal links, each of them split-duplex: its two directions have
/// the whole bandwidth each.
struct PlatformSpec {
  std::int64_t processors = 3;
  array::SystolicArray array;
  double clock_hertz = 1e9;
  double link_bytes_per_second = 64e9;
  double link_latency_seconds = 100e-9;  ///< of each link
  machine::Topology topology = machine::Topology::crossbar;
};

/// The SimGrid platform file (format: docs/formats/platform.md), with the options of
/// `layerpipe platform` that it was made with in a comment. Quantities are written with 15
/// significant digits. Throws UsageError unless there are 1 to max_processors processors, and all
/// quantities are positive and finite (the latency may be 0).
[[nodiscard]] std::string platform_xml(const PlatformSpec& spec);

}  // namespace layerpipe::file
