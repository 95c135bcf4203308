#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/ids.hpp"
#include "scheduler/costs/profile.hpp"
#include "workloads/base/json_value.hpp"

namespace layerpipe::placement {

/// An operation of a layer, or a part of it, that a file places.
struct PlacedOperation {
  base::JsonValue entry;  ///< in the file
  costs::ProcessorId processor = 0;
  double fraction = 1.0;  ///< above 0, at most 1
};

/// Where a file places the operations of one layer.
class PlacedLayer {
 public:
  [[nodiscard]] const PlacedOperation& forward() const {
    return of(costs::OpKind::forward).front();
  }
  [[nodiscard]] const PlacedOperation& weight_gradient() const {
    return of(costs::OpKind::weight_gradient).front();
  }
  /// On different processors; their fractions add up to 1. None if the layer has no input gradient.
  [[nodiscard]] std::span<const PlacedOperation> input_gradient() const {
    return of(costs::OpKind::input_gradient);
  }

  [[nodiscard]] std::vector<PlacedOperation>& of(costs::OpKind kind) {
    return operations_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const std::vector<PlacedOperation>& of(costs::OpKind kind) const {
    return operations_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<std::vector<PlacedOperation>, 3> operations_;
};

/// Reads the list `processors` of a schedule's JSON form (docs/formats/schedule.md). Returns one
/// entry per layer of `profile`. Throws InputError, with the place in the file, unless each
/// operation of each layer is there exactly once, by known names, on processors of `machine`; which
/// ones is not looked at. A processor without operations may have any name.
[[nodiscard]] std::vector<PlacedLayer> read_placed_operations(const base::JsonValue& processors,
                                                              const costs::Profile& profile,
                                                              const machine::Machine& machine);

}  // namespace layerpipe::placement
