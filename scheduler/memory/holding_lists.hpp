#pragma once

#include <vector>

#include "scheduler/memory/flow.hpp"
#include "scheduler/memory/holdings.hpp"

namespace layerpipe::scheduler {

/// What `holdings` is put together from. Each adds to `list`.
void add_weights(const Flow& flow, const Profile& profile, std::vector<Holding>& list);
void add_values(const Flow& flow, const Profile& profile, std::vector<Holding>& list);
void add_gradients(const Flow& flow, const Profile& profile, std::vector<Holding>& list);

}  // namespace layerpipe::scheduler
