#include "scheduler/placement/allocation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace layerpipe::placement {

Allocation whole_layers(const std::vector<costs::ProcessorId>& processor_of_layer) {
  Allocation allocation;
  for (const costs::ProcessorId processor : processor_of_layer) {
    allocation.layers.push_back({processor});
  }
  return allocation;
}

bool lends(const Allocation& allocation) {
  return std::ranges::any_of(
      allocation.layers, [](const Placement& placement) { return !placement.borrowed.empty(); });
}

std::vector<costs::ProcessorId> processors(const Allocation& allocation) {
  std::vector<costs::ProcessorId> result;
  for (const Placement& placement : allocation.layers) result.push_back(placement.processor);
  return result;
}

double borrowed_fraction(const Placement& placement) {
  constexpr double rounding = 0x1p-50;  // no unit of an input gradient is as small
  double sum = 0.0;
  for (const BorrowedPart& part : placement.borrowed) sum += part.fraction;
  return sum > 1.0 - rounding ? 1.0 : sum;
}

std::int64_t whole_share(double fraction, std::int64_t whole) {
  constexpr double rounding = 1.0 + 0x1p-50;  // a fraction and a product, half an ulp each
  return std::min(whole, static_cast<std::int64_t>(
                             std::floor(fraction * static_cast<double>(whole) * rounding)));
}

Shares shares(const Placement& placement, std::int64_t bytes) {
  Shares result;
  result.kept = bytes;
  for (const BorrowedPart& part : placement.borrowed) {
    result.borrowed.push_back(whole_share(part.fraction, bytes));
    result.kept -= result.borrowed.back();
  }
  if (borrowed_fraction(placement) < 1.0) return result;
  result.borrowed.front() += std::exchange(result.kept, 0);
  return result;
}

std::vector<std::int64_t> borrowed_weight_bytes(const Placement& placement, std::int64_t bytes,
                                                costs::Split split) {
  if (split == costs::Split::batch) return std::vector(placement.borrowed.size(), bytes);
  return shares(placement, bytes).borrowed;
}

std::int64_t lacking_weightless_bytes(const costs::Profile& profile, const Allocation& allocation,
                                      std::size_t layer, costs::ProcessorId processor) {
  const costs::LayerProfile& costs = profile.layers[layer];
  const std::size_t first_user = costs.borrower.value();
  const bool has_output = allocation.layers[first_user].processor == processor;
  return has_output ? costs.weightless_backward_bytes : costs.weightless_apart_bytes;
}

costs::ProcessorId summing_processor(const costs::Value& value,
                                     const std::vector<costs::ProcessorId>& processor_of_layer) {
  return processor_of_layer[value.used_within ? value.layer : value.uses.front().layer];
}

}  // namespace layerpipe::placement
