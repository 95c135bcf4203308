#include "scheduler/discipline/value_flow.hpp"

namespace layerpipe::scheduler {

void connect_activations(ScheduleBuilder& builder, const Profile& profile,
                         const std::vector<OpId>& forward) {
  for (std::size_t v = 0; v < profile.values.size(); ++v) {
    const Value& value = profile.values[v];
    Source source{forward[value.layer]};
    ProcessorId there = builder.processor(source);
    for (const Value::Use& use : value.uses) {
      const OpId user = forward[use.layer];
      if (builder.op(user).processor != there) {
        there = builder.op(user).processor;
        source = builder.send({{forward[value.layer]}}, there,
                              {TensorClass::mandatory, value.activation_bytes, value.layer, v});
      }
      builder.connect(source, user, InputKind::activation);
    }
  }
}

}  // namespace layerpipe::scheduler
