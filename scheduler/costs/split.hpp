#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/costs/profile.hpp"

namespace layerpipe::costs {

/// What an input gradient is divided into where a part of it is lent.
enum class Split {
  ideal,     ///< cycles: any fraction, costs in proportion
  channels,  ///< whole input channels, each part a GEMM of its own
  batch,     ///< whole samples, each part a GEMM of its own
};

/// "ideal", "channels" or "batch".
[[nodiscard]] std::string_view to_string(Split split);

/// An input gradient is divided into units: cycles (ideal), input channels, or samples (batch). Any
/// number of them can be lent, and each of the two parts costs what it takes by itself.

/// "cycles", "channels" or "samples".
[[nodiscard]] std::string_view unit_name(Split split);

/// Units of the layer's whole input gradient; 0 where it has none or cannot be divided so.
[[nodiscard]] std::int64_t split_units(const LayerProfile& layer, Split split);

/// Cycles of a part of `units` units: `units` (ideal), or what the GEMM of that many channels or
/// samples takes. Never falls as units are added; all of them cost what the profile says.
/// Precondition: 0 <= units <= split_units.
[[nodiscard]] std::int64_t part_cycles(const LayerProfile& layer, Split split, std::int64_t units);

/// The most units whose part takes at most `cycles` cycles, at most all. Precondition: cycles >= 0.
[[nodiscard]] std::int64_t most_units(const LayerProfile& layer, Split split, std::int64_t cycles);

/// The units nearest to `fraction` of the layer's. Inverse of units / split_units.
[[nodiscard]] std::int64_t units_of(const LayerProfile& layer, Split split, double fraction);

/// Cycles of delta', the part that is left where `lent_fraction` is lent.
[[nodiscard]] std::int64_t kept_cycles(const LayerProfile& layer, Split split,
                                       double lent_fraction);

/// True if some division makes each of the two parts cheaper than the whole. False, e.g., where all
/// channels lie in one column fold of the array: then every part of them costs the whole fold.
[[nodiscard]] bool is_split_useful(const LayerProfile& layer, Split split);

/// Why it is of no use to divide the layer's input gradient into channels or samples, for the user,
/// e.g. "one part costs all 8,030 cycles however its 64 channels are divided (64 <= 128 columns)".
/// None where it is useful, and for the ideal split. Precondition: split_units > 0.
[[nodiscard]] std::optional<std::string> split_obstacle(const LayerProfile& layer, Split split);

/// Throws InfeasibleError unless every layer can be divided so: measured layers have costs for the
/// whole only, which `ideal` alone divides.
void require_divisible(const Profile& profile, Split split);

}  // namespace layerpipe::costs
