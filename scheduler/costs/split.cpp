#include "scheduler/costs/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::costs {

namespace {

/// "64 <= 128 columns" if the dimension of the GEMM that is divided lies in one fold of the array.
std::string single_fold(const array::InputGradientGemms& gemms, Split split) {
  using array::Dataflow;
  const bool in_rows = split == Split::batch && gemms.dataflow == Dataflow::output_stationary;
  const std::int64_t extent = split == Split::channels ? gemms.gemm.n : gemms.gemm.m;
  const std::int64_t fold = in_rows ? gemms.size.rows : gemms.size.cols;
  if (extent > fold) return {};
  return fmt::format(" ({} <= {} {})", extent, fold, in_rows ? "rows" : "columns");
}

}  // namespace

std::string_view to_string(Split split) {
  switch (split) {
    case Split::ideal:
      return "ideal";
    case Split::channels:
      return "channels";
    case Split::batch:
      return "batch";
  }
  throw InternalError(fmt::format("split of unknown kind {}", static_cast<int>(split)));
}

std::string_view unit_name(Split split) {
  switch (split) {
    case Split::ideal:
      return "cycles";
    case Split::channels:
      return "channels";
    case Split::batch:
      return "samples";
  }
  throw InternalError(fmt::format("split of unknown kind {}", static_cast<int>(split)));
}

std::int64_t split_units(const LayerProfile& layer, Split split) {
  if (split == Split::ideal) return layer.input_gradient_cycles;
  if (!layer.has_input_gradient || !layer.input_gradient_gemms) return 0;
  return split == Split::channels ? layer.input_gradient_gemms->channels()
                                  : layer.input_gradient_gemms->samples;
}

std::int64_t part_cycles(const LayerProfile& layer, Split split, std::int64_t units) {
  if (split == Split::ideal) return units;
  const array::InputGradientGemms& gemms = layer.input_gradient_gemms.value();
  return split == Split::channels ? cycles_of_channels(gemms, units)
                                  : cycles_of_samples(gemms, units);
}

std::int64_t most_units(const LayerProfile& layer, Split split, std::int64_t cycles) {
  std::int64_t fits = 0;
  std::int64_t exceeds = split_units(layer, split) + 1;
  if (split == Split::ideal) return std::min(cycles, exceeds - 1);
  while (exceeds - fits > 1) {
    const std::int64_t middle = fits + (exceeds - fits) / 2;
    (part_cycles(layer, split, middle) <= cycles ? fits : exceeds) = middle;
  }
  return fits;
}

std::int64_t units_of(const LayerProfile& layer, Split split, double fraction) {
  return std::llround(fraction * static_cast<double>(split_units(layer, split)));
}

std::int64_t kept_cycles(const LayerProfile& layer, Split split, double lent_fraction) {
  const std::int64_t units = split_units(layer, split);
  return part_cycles(layer, split, units - units_of(layer, split, lent_fraction));
}

bool is_split_useful(const LayerProfile& layer, Split split) {
  const std::int64_t units = split_units(layer, split);
  if (units == 0) return false;
  const std::int64_t whole = part_cycles(layer, split, units);
  const std::int64_t largest_cheaper = most_units(layer, split, whole - 1);
  return part_cycles(layer, split, units - largest_cheaper) < whole;
}

std::optional<std::string> split_obstacle(const LayerProfile& layer, Split split) {
  if (split == Split::ideal || is_split_useful(layer, split)) return std::nullopt;
  const std::int64_t units = split_units(layer, split);
  if (units == 1) return split == Split::channels ? "it has 1 input channel" : "there is 1 sample";
  return fmt::format("one part costs all {} cycles however its {} {} are divided{}",
                     base::format_count(layer.input_gradient_cycles), base::format_count(units),
                     unit_name(split), single_fold(layer.input_gradient_gemms.value(), split));
}

void require_divisible(const Profile& profile, Split split) {
  if (split == Split::ideal) return;
  for (const LayerProfile& layer : profile.layers) {
    if (layer.input_gradient_gemms) continue;
    throw InfeasibleError(fmt::format(
        "layer {}: measured costs are known for the whole layer, not for parts of it by {} "
        "(expected --split {})",
        layer.name, to_string(split), to_string(Split::ideal)));
  }
}

}  // namespace layerpipe::costs
