#pragma once

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::tests {

/// Two layers on two of three processors; a quarter of the second layer's input gradient is lent
/// back to processor 0.
///
///   op 0  FP a            processor 0, static
///   op 1  1/4 delta b     processor 0
///   op 2  G a             processor 0
///   op 3  FP b            processor 1, priority
///   op 4  3/4 delta b, G b
contract::Schedule two_layer_schedule();

/// Its profile: only the second layer has an input gradient.
costs::Profile two_layer_profile();

}  // namespace layerpipe::tests
