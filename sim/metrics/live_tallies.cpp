#include "sim/metrics/live_tallies.hpp"

#include <algorithm>
#include <utility>

namespace layerpipe::metrics {

void TalliedLifetimes::add(memory::Lifetime lifetime, std::size_t tally) {
  lifetimes.push_back(std::move(lifetime));
  tally_of.push_back(tally);
  tallies = std::max(tallies, tally + 1);
}

LiveTallies::LiveTallies(const contract::Schedule& schedule, const TalliedLifetimes& tallied)
    : tally_of_(tallied.tally_of), counts_(schedule, tallied.lifetimes), tallies_(tallied.tallies) {
  for (std::size_t i = 0; i < tally_of_.size(); ++i) {
    Tally& tally = tallies_[tally_of_[i]];
    tally.now += counts_.count(i);
    tally.most = tally.now;
  }
}

void LiveTallies::record(const events::Event& event) {
  if (event.date != date_) {
    for (const std::size_t t : changed_) tallies_[t].most = most(t);
    changed_.clear();
    date_ = event.date;
  }
  counts_.record(event);
  for (const LiveCounts::Change& change : counts_.changes()) {
    const std::size_t tally = tally_of_[change.lifetime];
    tallies_[tally].now += change.more;
    changed_.push_back(tally);
  }
}

std::int64_t LiveTallies::most(std::size_t tally) const {
  return std::max(tallies_[tally].most, tallies_[tally].now);
}

}  // namespace layerpipe::metrics
