#include "scheduler/chain_payloads.hpp"

#include <algorithm>
#include <cmath>

namespace layerpipe::scheduler {

Payload activation_payload(const Profile& profile, std::size_t layer) {
  return {InputKind::activation, TensorClass::mandatory,
          profile.layers[layer].output_activation_bytes, layer};
}

Payload gradient_payload(const Profile& profile, std::size_t layer) {
  return gradient_payload(layer, profile.layers[layer].output_gradient_bytes,
                          TensorClass::mandatory);
}

Payload gradient_payload(std::size_t layer, std::int64_t bytes, TensorClass tensor_class) {
  return {InputKind::gradient, tensor_class, bytes, layer};
}

Payload update_payload(std::size_t layer) {
  return {InputKind::weight_version, TensorClass::mandatory, 0, layer};
}

std::int64_t lent_bytes(double fraction, std::int64_t bytes) {
  constexpr double rounding = 1.0 + 0x1p-50;  // a fraction and a product, half an ulp each
  return std::min(bytes, static_cast<std::int64_t>(
                             std::floor(fraction * static_cast<double>(bytes) * rounding)));
}

std::int64_t lent_weight_bytes(double fraction, std::int64_t bytes, Split split) {
  return split == Split::batch ? bytes : lent_bytes(fraction, bytes);
}

}  // namespace layerpipe::scheduler
