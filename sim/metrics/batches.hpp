#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace layerpipe::metrics {

/// Sums of a sequence of values, in batches of equal numbers of them. Memory is bounded: when there
/// are `most` batches, each two neighbours become one, and later ones are as large.
template <typename Sum>
class Batches {
 public:
  static constexpr std::size_t most = 64;  ///< even

  void add(const Sum& value) {
    if (in_batch_ == 0) {
      batch_ = value;
    } else {
      batch_ += value;
    }
    if (++in_batch_ < size_) return;
    complete_.push_back(batch_);
    in_batch_ = 0;
    if (complete_.size() < most) return;
    complete_ = paired(complete_);
    size_ *= 2;
  }

  /// Values in a batch: a power of 2.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// The complete batches of `size` values, from the first value on. `size` is a power of 2, at
  /// least size().
  [[nodiscard]] std::vector<Sum> of_size(std::int64_t size) const {
    std::vector<Sum> batches = complete_;
    for (std::int64_t s = size_; s < size; s *= 2) batches = paired(batches);
    return batches;
  }

 private:
  /// An odd last one is left out.
  static std::vector<Sum> paired(const std::vector<Sum>& batches) {
    std::vector<Sum> pairs;
    pairs.reserve(most);
    for (std::size_t i = 0; i + 1 < batches.size(); i += 2) {
      pairs.push_back(batches[i]);
      pairs.back() += batches[i + 1];
    }
    return pairs;
  }

  std::vector<Sum> complete_;
  Sum batch_{};
  std::int64_t size_ = 1;
  std::int64_t in_batch_ = 0;
};

}  // namespace layerpipe::metrics
