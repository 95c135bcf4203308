#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// From the operation (or the transfer, if what it brought is passed on) that made a tensor whole,
/// through the tensor's transfer, to an operation that waited for it. Dates lie in the slices that
/// are meant.
struct Arrow {
  bool from_channel = false;
  std::size_t from_track = 0;  ///< processor, or channel
  std::int64_t from_date = 0;
  std::size_t channel = 0;
  std::int64_t transfer_date = 0;
  std::size_t to_processor = 0;
  std::int64_t to_date = 0;
};

/// Finds the arrows of a run. Slices are to come as a TraceWriter is told them; what was not told,
/// because of a window, has no arrow. Keeps what has arrived and waits to be used.
class Arrows {
 public:
  Arrows(const contract::Schedule& schedule, const events::Channels& channels);

  /// The arrows that end at `slice`.
  [[nodiscard]] std::vector<Arrow> operation(const OperationSlice& slice);
  void transfer(const TransferSlice& slice);

  /// Arrows that are not known yet begin no earlier than this, or than what has not been told yet.
  [[nodiscard]] std::int64_t earliest_begin() const;

 private:
  struct Input {
    contract::TensorId tensor = 0;
    std::int64_t tokens = 0;
  };
  /// Where a tensor of one minibatch, that of its producers, comes from; then its transfer.
  struct Source {
    std::int64_t minibatch = 0;
    bool is_channel = false;
    std::size_t track = 0;
    std::int64_t date = 0;
    std::optional<std::int64_t> transfer_date;
    std::size_t uses = 0;
  };

  void add_origins(contract::TensorId whole, contract::TensorId tensor);
  void add_input(contract::OpId op, contract::TensorId tensor, std::int64_t tokens);
  void set_source(contract::TensorId tensor, const Source& source);
  [[nodiscard]] Source* find(contract::TensorId tensor, std::int64_t minibatch);
  void drop_used(contract::TensorId tensor);

  const contract::Schedule& schedule_;
  const events::Channels& channels_;
  std::vector<std::vector<Input>> inputs_;                ///< [op]: tensors that are sent to it
  std::vector<std::vector<contract::TensorId>> made_by_;  ///< [op]: tensors that are sent
  std::vector<std::vector<contract::TensorId>> wholes_;   ///< [tensor]: sent tensors it is part of
  std::vector<std::int64_t> least_tokens_;                ///< [tensor]: over those who wait
  std::vector<std::size_t> users_;                        ///< [tensor]: inputs that name it
  std::vector<std::deque<Source>> sources_;               ///< [tensor]: oldest minibatch first
};

}  // namespace layerpipe::trace
