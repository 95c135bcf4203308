#pragma once

#include <memory>
#include <optional>

#include "scheduler/contract/schedule.hpp"
#include "sim/engine/marking.hpp"

namespace layerpipe::engine {

/// How an idle processor chooses among its operations. Contract of every rule: it names only
/// operations whose next instance is ready, its answer changes only through the calls below, and
/// only what it names is started.
class OrderRule {
 public:
  virtual ~OrderRule() = default;

  virtual void became_ready(contract::OpId op) = 0;
  virtual void started(contract::OpId op) = 0;
  /// What to execute next, if anything is ready.
  [[nodiscard]] virtual std::optional<contract::OpId> next() const = 0;
  /// Minibatches up to that of the entry which a list has come to; 0 without a list.
  [[nodiscard]] virtual std::int64_t begun() const { return 0; }
  /// A ready operation of no duration that may be executed before anything else is chosen.
  [[nodiscard]] virtual std::optional<contract::OpId> next_instant() const = 0;
};

/// The rule of `order`; `marking` must outlive it.
[[nodiscard]] std::unique_ptr<OrderRule> make_order_rule(const contract::Order& order,
                                                         const Marking& marking);

}  // namespace layerpipe::engine
