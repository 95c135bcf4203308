#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/costs/ids.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/costs/split.hpp"
#include "scheduler/placement/delays.hpp"
#include "scheduler/placement/priority.hpp"

namespace layerpipe::placement {

/// A part of a layer's input gradient that another processor than the layer's own computes
/// (delta'').
struct BorrowedPart {
  costs::ProcessorId processor = 0;
  double fraction = 0.0;    ///< of the whole, above 0
  std::int64_t cycles = 0;  ///< what it takes there
};

/// Where one layer lies, and who computes its input gradient. What nobody has borrowed stays with
/// it (delta').
struct Placement {
  costs::ProcessorId processor = 0;
  std::vector<BorrowedPart> borrowed = {};  ///< on different processors, in their order
};

/// One placement per layer with a GEMM, in order of execution. Processors never decrease: layers of
/// one processor are a stage. One that is left out between two layers computes borrowed parts of
/// the first of them, and is a stage without layers. `delays` say how stale the updates are,
/// `priority` what comes first on a processor.
struct Allocation {
  std::vector<Placement> layers;
  costs::Split split = costs::Split::ideal;  ///< how fractions are meant
  Delays delays = DelayRule::twice_stages_after;
  Priority priority = Priority::fixed;

  [[nodiscard]] std::size_t stages() const {
    return layers.empty() ? 0 : layers.back().processor + 1;
  }
};

/// Whole layers on such processors, one for each layer.
[[nodiscard]] Allocation whole_layers(const std::vector<costs::ProcessorId>& processor_of_layer);

/// Whether a part of an input gradient is borrowed.
[[nodiscard]] bool lends(const Allocation& allocation);

/// Of each layer.
[[nodiscard]] std::vector<costs::ProcessorId> processors(const Allocation& allocation);

/// Of all borrowed parts together; exactly 1 where nothing stays.
[[nodiscard]] double borrowed_fraction(const Placement& placement);

/// floor(fraction x whole), where a product that is a whole number but for rounding is that number:
/// the share k / whole of `whole` is k. At most `whole`.
[[nodiscard]] std::int64_t whole_share(double fraction, std::int64_t whole);

/// What each part of an input gradient has of something, in whole bytes that add up to all.
struct Shares {
  std::int64_t kept = 0;
  std::vector<std::int64_t> borrowed;  ///< as in Placement::borrowed
};

/// Of `bytes`: borrowed parts have their fraction's `whole_share`, so that whole channels and
/// samples have all their bytes. What stays has the rest; where nothing stays, the first part has.
[[nodiscard]] Shares shares(const Placement& placement, std::int64_t bytes);

/// Of a layer's `bytes` of weights, those that each borrowed part needs: its own input channels'
/// (ideal and channels), or all of them where samples are borrowed.
[[nodiscard]] std::vector<std::int64_t> borrowed_weight_bytes(const Placement& placement,
                                                              std::int64_t bytes,
                                                              costs::Split split);

/// What `processor`, which has borrowed a part of the input gradient of `layer`, lacks to run the
/// backward pass of the weightless layers of its group. It has the group's output where the first
/// user of that lies there.
[[nodiscard]] std::int64_t lacking_weightless_bytes(const costs::Profile& profile,
                                                    const Allocation& allocation, std::size_t layer,
                                                    costs::ProcessorId processor);

/// Where the gradient at a value is added up: on the processor of its first user in the order of
/// execution. That is its own one if layers of its own group use it.
[[nodiscard]] costs::ProcessorId summing_processor(
    const costs::Value& value, const std::vector<costs::ProcessorId>& processor_of_layer);

}  // namespace layerpipe::placement
