#include "scheduler/memory/gradients_within.hpp"

#include <algorithm>
#include <map>

namespace layerpipe::memory {

/// Through the parts of one operation.
class GradientsWithin::Walk {
 public:
  Walk(const GradientsWithin& of, const contract::Op& op) : of_(of) {
    for (const contract::OpPart& part : op.parts) {
      for (const Use& use : of.uses_[part.layer]) expected_[use.value] += contributions(part, use);
    }
  }

  void end(const contract::OpPart& part) {
    for (const Use& use : of_.uses_[part.layer]) contribute(use.value, contributions(part, use));
    if (part.kind != costs::OpKind::weight_gradient) return;
    for (const std::size_t value : of_.values_[part.layer]) let_go(value);
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] static std::int64_t contributions(const contract::OpPart& part, const Use& use) {
    const bool counts = part.kind == costs::OpKind::input_gradient    ? use.by_gemm
                        : part.kind == costs::OpKind::weight_gradient ? use.by_others
                                                                      : false;
    return counts ? 1 : 0;
  }

  void contribute(std::size_t value, std::int64_t count) {
    if (count == 0) return;
    set(value, held_[value] + count);
    expected_[value] -= count;
    if (expected_[value] == 0) set(value, 1);
  }

  void let_go(std::size_t value) { set(value, 0); }

  void set(std::size_t value, std::int64_t count) {
    bytes_ += (count - held_[value]) * of_.profile_.values[value].gradient_bytes;
    held_[value] = count;
  }

  const GradientsWithin& of_;
  std::map<std::size_t, std::int64_t> expected_;  ///< [value]: contributions still to come
  std::map<std::size_t, std::int64_t> held_;      ///< [value]: contributions, or their sum
  std::int64_t bytes_ = 0;
};

GradientsWithin::GradientsWithin(const costs::Profile& profile)
    : profile_(profile), uses_(profile.layers.size()), values_(profile.layers.size()) {
  for (std::size_t v = 0; v < profile.values.size(); ++v) {
    const costs::Value& value = profile.values[v];
    values_[value.layer].push_back(v);
    for (const costs::Value::Use& use : value.uses) {
      uses_[use.layer].push_back({v, use.by_gemm, use.by_others});
    }
  }
}

std::int64_t GradientsWithin::bytes(const contract::Op& op) const {
  Walk walk(*this, op);
  std::int64_t most = 0;
  for (std::size_t i = 0; i + 1 < op.parts.size(); ++i) {
    walk.end(op.parts[i]);
    most = std::max(most, walk.bytes());
  }
  return most;
}

}  // namespace layerpipe::memory
