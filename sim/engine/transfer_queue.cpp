#include "sim/engine/transfer_queue.hpp"

#include <tuple>

namespace layerpipe::engine {

bool TransferQueue::Later::operator()(const Transfer& a, const Transfer& b) const {
  const auto key = [this](const Transfer& transfer) {
    const contract::Tensor& tensor = schedule->tensors[transfer.tensor];
    const bool is_additional = tensor.tensor_class != contract::TensorClass::mandatory;
    return std::tuple{transfer.minibatch, is_additional, transfer.queued,
                      -static_cast<std::int64_t>(tensor.layer), transfer.tensor};
  };
  return key(b) < key(a);
}

}  // namespace layerpipe::engine
