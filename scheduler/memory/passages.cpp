#include "scheduler/memory/passages.hpp"

#include <algorithm>

namespace layerpipe::memory {

namespace {

bool is_taken_by_weightless_layers(const costs::Value& value, std::size_t group) {
  return std::ranges::any_of(value.uses, [group](const costs::Value::Use& use) {
    return use.layer == group && use.by_others;
  });
}

}  // namespace

Passages::Passages(const costs::Profile& profile) : next_(profile.values.size()) {
  std::vector<std::size_t> outputs(profile.layers.size(), 0);
  for (const costs::Value& value : profile.values) {
    groups_.push_back(value.layer);
    ++outputs[value.layer];
  }
  for (std::size_t from = 0; from < next_.size(); ++from) {
    const std::size_t group = profile.values[from].layer;
    if (outputs[group] > 1 || profile.layers[group].has_loss) continue;
    if (summands(profile.values[from]) > 1) continue;
    for (std::size_t to = 0; to < from; ++to) {
      if (is_taken_by_weightless_layers(profile.values[to], group)) next_[from].push_back(to);
    }
  }
}

bool Passages::lead(std::size_t from, std::size_t to) const {
  return from == to || std::ranges::any_of(next_[from], [&](std::size_t n) { return lead(n, to); });
}

bool Passages::lead_to_group(std::size_t from, std::size_t layer) const {
  return groups_[from] == layer ||
         std::ranges::any_of(next_[from], [&](std::size_t n) { return lead_to_group(n, layer); });
}

}  // namespace layerpipe::memory
