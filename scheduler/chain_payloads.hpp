#pragma once

#include <cstdint>

#include "scheduler/profile.hpp"
#include "scheduler/schedule_builder.hpp"

namespace layerpipe::scheduler {

/// What travels between the layers of a chain, in bytes per minibatch; layers are 0-based.

/// The output of layer `layer`, for the next layer.
[[nodiscard]] Payload activation_payload(const Profile& profile, std::size_t layer);

/// The gradient at the output of layer `layer`, or `bytes` of it, for that layer's backward pass.
[[nodiscard]] Payload gradient_payload(const Profile& profile, std::size_t layer);
[[nodiscard]] Payload gradient_payload(std::size_t layer, std::int64_t bytes,
                                       TensorClass tensor_class);

/// The layer's own update, on its own processor.
[[nodiscard]] Payload update_payload(std::size_t layer);

/// Whole bytes of the lent share of `bytes`: floor(fraction x bytes), where a product that is a
/// whole number but for rounding is that number, so that whole channels and samples have all their
/// bytes; the kept share is the rest.
[[nodiscard]] std::int64_t lent_bytes(double fraction, std::int64_t bytes);

/// Of a layer's `bytes` of weights, those that a lent part needs: its own input channels' (ideal
/// and channels), or all of them where samples are lent.
[[nodiscard]] std::int64_t lent_weight_bytes(double fraction, std::int64_t bytes, Split split);

}  // namespace layerpipe::scheduler
