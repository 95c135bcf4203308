#include "sim/trace/link_load.hpp"

#include <algorithm>

namespace layerpipe::trace {

LinkLoad::LinkLoad(const contract::Schedule& schedule, const events::Channels& channels)
    : schedule_(schedule), channels_(channels) {
  std::size_t links = 0;
  for (const events::Channel& channel : channels.channels) {
    for (const std::size_t link : channel.route.links) links = std::max(links, link + 1);
  }
  bytes_.assign(links, 0);
}

void LinkLoad::arrived(contract::TensorId tensor) {
  for (const std::size_t link : channels_.channels[channels_.of_tensor[tensor]].route.links) {
    bytes_[link] += schedule_.tensors[tensor].bytes;
  }
}

std::vector<LinkUse> LinkLoad::minibatch_ended(std::int64_t date) {
  std::vector<LinkUse> uses;
  if (date == since_) return uses;
  for (const std::size_t link : channels_.shared_links) {
    uses.push_back({link, since_, date, bytes_[link]});
    bytes_[link] = 0;
  }
  since_ = date;
  return uses;
}

}  // namespace layerpipe::trace
