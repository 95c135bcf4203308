#include "sim/metrics/middle_half_use.hpp"

namespace layerpipe::sim {

MiddleHalfUse::MiddleHalfUse(const scheduler::Schedule& schedule, const Channels& channels,
                             std::int64_t minibatches)
    : schedule_(schedule),
      channel_of_tensor_(channels.of_tensor),
      middle_half_(middle_half(minibatches)),
      minibatches_(schedule),
      is_open_(middle_half_.begin == 0),
      processors_(schedule.orders.size()),
      channels_(channels.channels.size()) {}

void MiddleHalfUse::record(const Event& event) {
  switch (event.kind) {
    case EventKind::operation_started:
      start(processors_[schedule_.ops[event.id].processor], event.date);
      break;
    case EventKind::operation_ended:
      end(processors_[schedule_.ops[event.id].processor], event.date);
      break;
    case EventKind::transfer_started:
      start(channels_[channel_of_tensor_[event.id]], event.date);
      break;
    case EventKind::transfer_ended:
      end(channels_[channel_of_tensor_[event.id]], event.date);
      break;
  }
  if (!minibatches_.record(event)) return;
  if (minibatches_.ended() == middle_half_.begin) open(event.date);
  if (minibatches_.ended() == middle_half_.end) close(event.date);
}

void MiddleHalfUse::start(Use& use, std::int64_t date) {
  use.is_busy = true;
  use.since = date;
}

void MiddleHalfUse::end(Use& use, std::int64_t date) const {
  use.is_busy = false;
  if (is_open_) use.cycles += date - use.since;
}

void MiddleHalfUse::open(std::int64_t date) {
  is_open_ = true;
  begin_date_ = date;
  for (std::vector<Use>* all : {&processors_, &channels_}) {
    for (Use& use : *all) use.since = date;
  }
}

void MiddleHalfUse::close(std::int64_t date) {
  for (std::vector<Use>* all : {&processors_, &channels_}) {
    for (Use& use : *all) {
      if (use.is_busy) use.cycles += date - use.since;
    }
  }
  is_open_ = false;
  end_date_ = date;
}

double MiddleHalfUse::share(const Use& use) const {
  const std::int64_t cycles = end_date_ - begin_date_;
  return cycles > 0 ? static_cast<double>(use.cycles) / static_cast<double>(cycles) : 0.0;
}

double MiddleHalfUse::processor(scheduler::ProcessorId processor) const {
  return share(processors_[processor]);
}

double MiddleHalfUse::channel(std::size_t channel) const { return share(channels_[channel]); }

}  // namespace layerpipe::sim
