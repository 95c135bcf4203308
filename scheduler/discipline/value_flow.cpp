#include "scheduler/discipline/value_flow.hpp"

#include <map>

namespace layerpipe::discipline {

void connect_activations(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                         const std::vector<contract::OpId>& forward) {
  for (std::size_t v = 0; v < profile.values.size(); ++v) {
    const costs::Value& value = profile.values[v];
    const contract::Source made{forward[value.layer]};
    std::map<costs::ProcessorId, contract::Source> copies{{builder.processor(made), made}};
    for (const costs::Value::Use& use : value.uses) {
      const contract::OpId user = forward[use.layer];
      const costs::ProcessorId there = builder.op(user).processor;
      if (!copies.contains(there)) {
        copies[there] = builder.send(
            {made}, there,
            {contract::TensorClass::mandatory, value.activation_bytes, value.layer, v});
      }
      builder.connect(copies[there], user, contract::InputKind::activation);
    }
  }
}

}  // namespace layerpipe::discipline
