#include "tests/theory/fluid_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "platforms/machine/transfer.hpp"

namespace layerpipe::tests {

FluidNetwork::FluidNetwork(const machine::Machine& machine, const contract::Schedule& schedule)
    : machine_(machine), schedule_(schedule) {}

void FluidNetwork::start(contract::TensorId tensor, std::int64_t date) {
  advance(static_cast<double>(date));
  const contract::Tensor& sent = schedule_.tensors[tensor];
  Flow flow;
  flow.tensor = tensor;
  flow.route = machine_.route(sent.source, sent.destination);
  flow.begins = static_cast<double>(date) + machine::latency_cycles(machine_, flow.route);
  flow.bytes_left = static_cast<double>(sent.bytes);
  flow.earliest = date + machine::transfer_cycles(machine_, flow.route, sent.bytes);
  flows_.push_back(flow);
  share();
}

std::optional<std::int64_t> FluidNetwork::next_arrival() const {
  FluidNetwork future = *this;
  while (!future.flows_.empty()) {
    std::optional<std::int64_t> first;
    for (const Flow& flow : future.flows_) {
      if (flow.ended) first = std::min(first.value_or(arrival(flow)), arrival(flow));
    }
    if (first) return first;
    future.advance(future.next_change().value());
  }
  return std::nullopt;
}

std::vector<contract::TensorId> FluidNetwork::take_arrivals(std::int64_t date) {
  advance(static_cast<double>(date));
  for (Flow& flow : flows_) {
    const bool has_begun = !flow.ended && flow.begins <= now_;
    if (has_begun && flow.bytes_left <= date_tolerance * flow.rate) flow.ended = now_;
  }
  share();
  std::vector<contract::TensorId> arrived;
  for (const Flow& flow : flows_) {
    if (flow.ended && arrival(flow) <= date) arrived.push_back(flow.tensor);
  }
  std::erase_if(flows_, [&](const Flow& flow) { return flow.ended && arrival(flow) <= date; });
  return arrived;
}

std::int64_t FluidNetwork::arrival(const Flow& flow) {
  return std::max(static_cast<std::int64_t>(std::ceil(*flow.ended - date_tolerance)),
                  flow.earliest);
}

void FluidNetwork::advance(double date) {
  for (auto change = next_change(); change && *change <= date; change = next_change()) {
    for (Flow& flow : flows_) flow.bytes_left -= flow.rate * (*change - now_);
    now_ = *change;
    for (Flow& flow : flows_) {
      const bool is_over = flow.bytes_left <= 1e-7 * flow.rate;
      if (!flow.ended && flow.begins <= now_ && is_over) flow.ended = now_;
    }
    share();
  }
  if (date <= now_) return;
  for (Flow& flow : flows_) flow.bytes_left -= flow.rate * (date - now_);
  now_ = date;
}

/// When a flow begins or ends.
std::optional<double> FluidNetwork::next_change() const {
  std::optional<double> next;
  for (const Flow& flow : flows_) {
    if (flow.ended) continue;
    double change = std::numeric_limits<double>::infinity();
    if (flow.begins > now_) change = flow.begins;
    if (flow.rate > 0.0) change = now_ + std::max(0.0, flow.bytes_left / flow.rate);
    next = std::min(next.value_or(change), change);
  }
  return next;
}

void FluidNetwork::share() {
  std::set<Flow*> rising;
  for (Flow& flow : flows_) {
    flow.rate = 0.0;
    if (!flow.ended && flow.begins <= now_) rising.insert(&flow);
  }
  for (double level = 0.0; !rising.empty();) {
    // How far the water can rise until the first link is full, and over which links.
    double top = std::numeric_limits<double>::infinity();
    std::vector<double> tops(machine_.links.size(), top);
    for (std::size_t l = 0; l < machine_.links.size(); ++l) {
      double still = 0.0;
      double weights = 0.0;
      double most = 0.0;
      for (Flow& flow : flows_) {
        if (std::ranges::count(flow.route.links, l) == 0) continue;
        const bool rises = rising.contains(&flow);
        still += rises ? 0.0 : flow.rate;
        weights += rises ? weight(flow) : 0.0;
        most = std::max(most, rises ? weight(flow) : 0.0);
      }
      if (weights == 0.0) continue;
      tops[l] = machine_.links[l].shared ? (capacity(l) - still) / weights : capacity(l) / most;
      top = std::min(top, tops[l]);
    }
    level = std::max(level, top);
    for (auto next = rising.begin(); next != rising.end();) {
      Flow& flow = **next++;
      const bool is_full = std::ranges::any_of(flow.route.links, [&](std::size_t l) {
        if (!machine_.links[l].shared) return capacity(l) <= level * weight(flow) * (1.0 + 1e-12);
        return tops[l] <= level * (1.0 + 1e-12);
      });
      if (!is_full) continue;
      flow.rate = level * weight(flow);
      rising.erase(&flow);
    }
  }
}

double FluidNetwork::capacity(std::size_t link) const {
  return machine_.links[link].bytes_per_second / machine_.clock_hertz;
}

/// Routes without latency share links among themselves alone.
double FluidNetwork::weight(const Flow& flow) const {
  return flow.route.latency_seconds > 0.0 ? 1.0 / flow.route.latency_seconds : 1.0;
}

}  // namespace layerpipe::tests
