#include "scheduler/discipline/layerpipe_schedule.hpp"

#include <algorithm>
#include <vector>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/discipline/split_backward.hpp"
#include "scheduler/theory/critical_weight_gradients.hpp"

namespace layerpipe::discipline {

namespace {

/// Weight gradients that are critical are as urgent as input gradients.
contract::PriorityOrder priorities(const contract::ScheduleBuilder& builder,
                                   const std::vector<LayerOps>& ops, costs::ProcessorId processor,
                                   const std::vector<bool>& is_critical) {
  contract::PriorityOrder order;
  const auto append = [&](contract::OpId op, int urgency) {
    if (builder.op(op).processor == processor) order.entries.push_back({op, urgency});
  };
  for (std::size_t l = ops.size(); l-- > 0;) {
    if (ops[l].kept) append(*ops[l].kept, 0);
    for (const contract::OpId part : ops[l].borrowed) append(part, 0);
    append(ops[l].forward, 1);
    append(ops[l].weight_gradient, is_critical[l] ? 0 : 2);
  }
  std::stable_sort(order.entries.begin(), order.entries.end(),
                   [](const auto& a, const auto& b) { return a.urgency < b.urgency; });
  return order;
}

}  // namespace

contract::Schedule layerpipe_schedule(const std::string& name, const costs::Profile& profile,
                                      const placement::Allocation& allocation,
                                      std::size_t processors) {
  contract::ScheduleBuilder builder(name, profile, allocation.stages(), processors);
  const SplitOps ops =
      add_split_backward(builder, profile, allocation, 1,
                         std::vector<std::size_t>(profile.layers.size(), 0), WholeStages(1));
  const std::vector<bool> is_critical = allocation.priority == placement::Priority::critical_loop
                                            ? theory::weight_gradients_on_critical_loop(profile)
                                            : std::vector<bool>(profile.layers.size(), false);
  for (costs::ProcessorId p = 0; p < allocation.stages(); ++p) {
    builder.set_order(p, priorities(builder, ops.front(), p, is_critical));
  }
  return std::move(builder).build();
}

}  // namespace layerpipe::discipline
