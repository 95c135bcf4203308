#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace layerpipe::placement {

/// M(l) of each layer with a GEMM, in order of execution: how many of the latest updates the
/// weights of FP(l) lack. 0 everywhere is synchronous training.
using Staleness = std::vector<std::int64_t>;

/// M(l) from S(l), the number of stages after that of layer l.
enum class DelayRule {
  twice_stages_after,  ///< 2 S(l), LayerPipe's
  stages_after,        ///< S(l), PipeDream's
};

/// "2S" or "S".
[[nodiscard]] std::string_view to_string(DelayRule rule);

/// A rule, or M(l) of each layer.
using Delays = std::variant<DelayRule, Staleness>;

/// Of one layer; no run is as long.
inline constexpr std::int64_t max_staleness = 1'000'000'000;

/// M(l) of layers that lie on `stage_of_layer`, the last of which is the last stage. Throws
/// UsageError unless there is one number for each of them.
[[nodiscard]] Staleness staleness(const Delays& delays,
                                  const std::vector<std::size_t>& stage_of_layer);

}  // namespace layerpipe::placement
