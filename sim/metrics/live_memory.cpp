#include "sim/metrics/live_memory.hpp"

#include <algorithm>
#include <array>

namespace layerpipe::metrics {

namespace {

using memory::Holding;
using memory::MemoryKind;

std::int64_t& bytes_of_kind(MemoryBytes& memory, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::weights:
      return memory.weights;
    case MemoryKind::activations:
      return memory.activations;
    case MemoryKind::gradients:
      return memory.gradients;
    case MemoryKind::queued:
      break;
  }
  return memory.queued;
}

void add(MemoryBytes& memory, const Holding& holding, std::int64_t instances) {
  bytes_of_kind(memory, holding.kind) += instances * holding.bytes;
  memory.total += instances * holding.bytes;
}

MemoryBytes greatest(const MemoryBytes& a, const MemoryBytes& b) {
  return {std::max(a.weights, b.weights), std::max(a.activations, b.activations),
          std::max(a.gradients, b.gradients), std::max(a.queued, b.queued),
          std::max(a.total, b.total)};
}

std::vector<memory::Lifetime> lifetimes(const std::vector<Holding>& holdings) {
  std::vector<memory::Lifetime> result;
  for (const Holding& holding : holdings) result.push_back(holding.lifetime);
  return result;
}

}  // namespace

LiveMemory::LiveMemory(const contract::Schedule& schedule, const costs::Profile& profile)
    : holdings_(memory::holdings(schedule, profile)),
      counts_(schedule, lifetimes(holdings_)),
      processors_(schedule.orders.size()) {
  for (std::size_t i = 0; i < holdings_.size(); ++i) {
    add(processors_[holdings_[i].processor].now, holdings_[i], counts_.count(i));
  }
  for (Processor& processor : processors_) processor.peak = processor.now;
}

void LiveMemory::record(const events::Event& event) {
  if (event.date != date_) settle();
  date_ = event.date;
  counts_.record(event);
  for (const LiveCounts::Change& change : counts_.changes()) {
    const Holding& holding = holdings_[change.lifetime];
    Processor& processor = processors_[holding.processor];
    add(processor.now, holding, change.more);
    if (!processor.is_changed) changed_.push_back(holding.processor);
    processor.is_changed = true;
  }
}

MemoryBytes LiveMemory::peak(costs::ProcessorId processor) const {
  return greatest(processors_[processor].peak, processors_[processor].now);
}

void LiveMemory::settle() {
  for (const costs::ProcessorId id : changed_) {
    Processor& processor = processors_[id];
    processor.peak = greatest(processor.peak, processor.now);
    processor.is_changed = false;
  }
  changed_.clear();
}

}  // namespace layerpipe::metrics
