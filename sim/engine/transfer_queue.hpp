#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "scheduler/contract/schedule.hpp"

namespace layerpipe::engine {

/// A tensor of one minibatch on its way.
struct Transfer {
  contract::TensorId tensor = 0;
  std::int64_t minibatch = 0;  ///< the one that will use it first
  std::int64_t queued = 0;     ///< date in cycles
};

/// What waits for one channel. The next transfer is that of the oldest minibatch, among equals
/// mandatory before additional ones, then the one queued earlier, then the layer nearer the output,
/// then the tensor listed first.
class TransferQueue {
 public:
  explicit TransferQueue(const contract::Schedule& schedule) : queue_(Later{&schedule}) {}

  void push(const Transfer& transfer) { queue_.push(transfer); }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] Transfer pop() {
    const Transfer next = queue_.top();
    queue_.pop();
    return next;
  }

 private:
  struct Later {
    const contract::Schedule* schedule;
    bool operator()(const Transfer& a, const Transfer& b) const;
  };

  std::priority_queue<Transfer, std::vector<Transfer>, Later> queue_;
};

}  // namespace layerpipe::engine
