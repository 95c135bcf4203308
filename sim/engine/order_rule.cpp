#include "sim/engine/order_rule.hpp"

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace layerpipe::engine {

namespace {

using contract::OpId;
using contract::PriorityOrder;
using contract::StaticOrder;

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

  [[nodiscard]] std::int64_t begun() const override {
    return at_end() ? 0 : round_ - entries_[entry_].lag + 1;
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

  void became_ready(OpId op) override {
    if (marking_.cycles(op) == 0) {
      instant_.push_back(op);
    } else {
      const Rank& rank = ranks_.at(op);
      ready_.push({rank.urgency, marking_.next_minibatch(op), rank.position, op});
    }
  }

  /// `op` is what next_instant or else next has named.
  void started(OpId op) override {
    if (!instant_.empty() && instant_.back() == op) {
      instant_.pop_back();
    } else {
      ready_.pop();
    }
  }

  [[nodiscard]] std::optional<OpId> next() const override {
    if (!instant_.empty()) return instant_.back();
    if (ready_.empty()) return std::nullopt;
    return ready_.top().op;
  }

  [[nodiscard]] std::optional<OpId> next_instant() const override {
    return instant_.empty() ? std::nullopt : std::optional(instant_.back());
  }

 private:
  struct Rank {
    int urgency = 0;
    std::size_t position = 0;
  };
  /// Members in order of their weight: the smallest is first.
  struct Ready {
    int urgency = 0;
    std::int64_t minibatch = 0;
    std::size_t position = 0;
    OpId op = 0;
    friend auto operator<=>(const Ready&, const Ready&) = default;
  };

  const Marking& marking_;
  std::unordered_map<OpId, Rank> ranks_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::vector<OpId> instant_;  ///< ready, of no duration
};

}  // namespace

std::unique_ptr<OrderRule> make_order_rule(const contract::Order& order, const Marking& marking) {
  if (const auto* list = std::get_if<StaticOrder>(&order)) {
    return std::make_unique<StaticRule>(*list, marking);
  }
  return std::make_unique<PriorityRule>(std::get<PriorityOrder>(order), marking);
}

}  // namespace layerpipe::engine
