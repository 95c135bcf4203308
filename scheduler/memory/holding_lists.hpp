#pragma once

#include <vector>

#include "scheduler/memory/flow.hpp"
#include "scheduler/memory/holdings.hpp"

namespace layerpipe::memory {

/// What `holdings` is put together from. Each adds to `list`.
void add_weights(const Flow& flow, const costs::Profile& profile, std::vector<Holding>& list);
void add_values(const Flow& flow, const costs::Profile& profile, std::vector<Holding>& list);
void add_gradients(const Flow& flow, const costs::Profile& profile, std::vector<Holding>& list);

/// What has to be kept of a layer's weights, or of what its weightless layers need, until it has
/// arrived where it is sent, from the moment on when nothing here needs it. Of several tensors with
/// the same content, the smaller ones are a part of the greater ones, and are kept once.
void add_unsent(const Flow& flow, std::vector<contract::TensorId> same_content,
                std::int64_t arrival_lag, const Moment& unneeded, std::vector<Holding>& list);

}  // namespace layerpipe::memory
