#include "sim/trace/link_load.hpp"

namespace layerpipe::sim {

LinkLoad::LinkLoad(const scheduler::Schedule& schedule, const Channels& channels)
    : schedule_(schedule), channels_(channels), links_(used_links(channels)) {
  if (!links_.empty()) bytes_.assign(links_.back() + 1, 0);
}

void LinkLoad::arrived(scheduler::TensorId tensor) {
  for (const std::size_t link : channels_.channels[channels_.of_tensor[tensor]].route.links) {
    bytes_[link] += schedule_.tensors[tensor].bytes;
  }
}

std::vector<LinkUse> LinkLoad::minibatch_ended(std::int64_t date) {
  std::vector<LinkUse> uses;
  if (date == since_) return uses;
  for (const std::size_t link : links_) {
    uses.push_back({link, since_, date, bytes_[link]});
    bytes_[link] = 0;
  }
  since_ = date;
  return uses;
}

}  // namespace layerpipe::sim
