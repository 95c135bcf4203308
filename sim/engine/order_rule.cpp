#include "sim/engine/order_rule.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace layerpipe::sim {

namespace {

using scheduler::OpId;
using scheduler::PriorityOrder;
using scheduler::StaticOrder;

/// Follows a list; waits for an entry that is not ready.
class StaticRule final : public OrderRule {
 public:
  StaticRule(const StaticOrder& order, const Marking& marking)
      : entries_(order.entries), marking_(marking) {
    for (const StaticOrder::Entry& entry : entries_) last_lag_ = std::max(last_lag_, entry.lag);
    skip_absent_entries();
  }

  void became_ready(OpId) override {}

  void started(OpId) override {
    advance();
    skip_absent_entries();
  }

  [[nodiscard]] std::optional<OpId> next() const override {
    if (at_end() || !marking_.is_ready(entries_[entry_].op)) return std::nullopt;
    return entries_[entry_].op;
  }

  [[nodiscard]] std::optional<OpId> next_instant() const override {
    const std::optional<OpId> op = next();
    return op && marking_.cycles(*op) == 0 ? op : std::nullopt;
  }

 private:
  [[nodiscard]] bool at_end() const {
    return entries_.empty() || round_ >= marking_.minibatches() + last_lag_;
  }

  void advance() {
    if (++entry_ < entries_.size()) return;
    entry_ = 0;
    ++round_;
  }

  void skip_absent_entries() {
    while (!at_end()) {
      const std::int64_t minibatch = round_ - entries_[entry_].lag;
      if (minibatch >= 0 && minibatch < marking_.minibatches()) return;
      advance();
    }
  }

  const std::vector<StaticOrder::Entry>& entries_;
  const Marking& marking_;
  std::int64_t last_lag_ = 0;
  std::int64_t round_ = 0;
  std::size_t entry_ = 0;
};

/// Chooses by urgency, then the oldest minibatch, then the place in the list.
class PriorityRule final : public OrderRule {
 public:
  PriorityRule(const PriorityOrder& order, const Marking& marking) : marking_(marking) {
    for (std::size_t i = 0; i < order.entries.size(); ++i) {
      ranks_[order.entries[i].op] = {order.entries[i].urgency, i};
    }
  }

  void became_ready(OpId op) override { ready_.push_back({op, ranks_.at(op)}); }

  void started(OpId op) override {
    const auto entry = std::find_if(ready_.begin(), ready_.end(),
                                    [op](const Ready& ready) { return ready.op == op; });
    *entry = ready_.back();
    ready_.pop_back();
  }

  [[nodiscard]] std::optional<OpId> next() const override {
    const auto first =
        std::min_element(ready_.begin(), ready_.end(),
                         [this](const Ready& a, const Ready& b) { return key(a) < key(b); });
    return first == ready_.end() ? std::nullopt : std::optional(first->op);
  }

  [[nodiscard]] std::optional<OpId> next_instant() const override {
    const auto found = std::find_if(ready_.begin(), ready_.end(), [this](const Ready& ready) {
      return marking_.cycles(ready.op) == 0;
    });
    return found == ready_.end() ? std::nullopt : std::optional(found->op);
  }

 private:
  struct Rank {
    int urgency = 0;
    std::size_t position = 0;
  };
  struct Ready {
    OpId op = 0;
    Rank rank;
  };

  [[nodiscard]] std::tuple<int, std::int64_t, std::size_t> key(const Ready& ready) const {
    return {ready.rank.urgency, marking_.next_minibatch(ready.op), ready.rank.position};
  }

  const Marking& marking_;
  std::unordered_map<OpId, Rank> ranks_;
  std::vector<Ready> ready_;
};

}  // namespace

std::unique_ptr<OrderRule> make_order_rule(const scheduler::Order& order, const Marking& marking) {
  if (const auto* list = std::get_if<StaticOrder>(&order)) {
    return std::make_unique<StaticRule>(*list, marking);
  }
  return std::make_unique<PriorityRule>(std::get<PriorityOrder>(order), marking);
}

}  // namespace layerpipe::sim
