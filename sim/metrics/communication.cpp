#include "sim/metrics/communication.hpp"

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {

std::int64_t& sum_of_class(Communication& sums, contract::TensorClass tensor_class) {
  switch (tensor_class) {
    case contract::TensorClass::additional_weights:
      return sums.additional_weights_bytes;
    case contract::TensorClass::additional_gradients:
      return sums.additional_gradients_bytes;
    case contract::TensorClass::mandatory:
      return sums.mandatory_bytes;
    case contract::TensorClass::local:
      break;
  }
  throw InternalError("a tensor that stays on its processor was sent");
}

Communication communication(const contract::Schedule& schedule) {
  Communication sums;
  for (const contract::Tensor& tensor : schedule.tensors) {
    if (tensor.tensor_class == contract::TensorClass::local) continue;
    sum_of_class(sums, tensor.tensor_class) += tensor.bytes;
  }
  return sums;
}

}  // namespace layerpipe::metrics
