#pragma once

#include "scheduler/contract/schedule.hpp"
#include "sim/metrics/result.hpp"

namespace layerpipe::metrics {

/// The sum that bytes of this class belong to. Throws InternalError for local tensors, which are
/// not sent.
[[nodiscard]] std::int64_t& sum_of_class(Communication& sums, contract::TensorClass tensor_class);

/// What a schedule sends for each minibatch.
[[nodiscard]] Communication communication(const contract::Schedule& schedule);

}  // namespace layerpipe::metrics
