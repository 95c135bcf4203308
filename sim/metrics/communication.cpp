#include "sim/metrics/communication.hpp"

#include "workloads/base/error.hpp"

namespace layerpipe::sim {

std::int64_t& sum_of_class(Communication& sums, scheduler::TensorClass tensor_class) {
  switch (tensor_class) {
    case scheduler::TensorClass::additional_weights:
      return sums.additional_weights_bytes;
    case scheduler::TensorClass::additional_gradients:
      return sums.additional_gradients_bytes;
    case scheduler::TensorClass::mandatory:
      return sums.mandatory_bytes;
    case scheduler::TensorClass::local:
      break;
  }
  throw InternalError("a tensor that stays on its processor was sent");
}

Communication communication(const scheduler::Schedule& schedule) {
  Communication sums;
  for (const scheduler::Tensor& tensor : schedule.tensors) {
    if (tensor.tensor_class == scheduler::TensorClass::local) continue;
    sum_of_class(sums, tensor.tensor_class) += tensor.bytes;
  }
  return sums;
}

}  // namespace layerpipe::sim
