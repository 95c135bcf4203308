#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// Adds up the bytes that arrive over each link from the end of one minibatch to the end of the
/// next.
class LinkLoad {
 public:
  LinkLoad(const contract::Schedule& schedule, const events::Channels& channels);

  void arrived(contract::TensorId tensor);

  /// What has arrived since the end of the minibatch before, an entry for each of
  /// `Channels::shared_links`. Where several minibatches end at one date, the last of them gets
  /// nothing: the time and its bytes belong to the first.
  [[nodiscard]] std::vector<LinkUse> minibatch_ended(std::int64_t date);

  /// From when on bytes are being added up.
  [[nodiscard]] std::int64_t since() const { return since_; }

 private:
  const contract::Schedule& schedule_;
  const events::Channels& channels_;
  std::vector<std::int64_t> bytes_;  ///< [link of the machine]
  std::int64_t since_ = 0;
};

}  // namespace layerpipe::trace
