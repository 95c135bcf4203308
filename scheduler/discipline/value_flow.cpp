#include "scheduler/discipline/value_flow.hpp"

namespace layerpipe::discipline {

void connect_activations(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                         const std::vector<contract::OpId>& forward) {
  for (std::size_t v = 0; v < profile.values.size(); ++v) {
    const costs::Value& value = profile.values[v];
    contract::Source source{forward[value.layer]};
    costs::ProcessorId there = builder.processor(source);
    for (const costs::Value::Use& use : value.uses) {
      const contract::OpId user = forward[use.layer];
      if (builder.op(user).processor != there) {
        there = builder.op(user).processor;
        source = builder.send(
            {{forward[value.layer]}}, there,
            {contract::TensorClass::mandatory, value.activation_bytes, value.layer, v});
      }
      builder.connect(source, user, contract::InputKind::activation);
    }
  }
}

}  // namespace layerpipe::discipline
