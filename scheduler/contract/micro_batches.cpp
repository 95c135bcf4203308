#include "scheduler/contract/micro_batches.hpp"

namespace layerpipe::contract {

namespace {

constexpr auto none = static_cast<std::size_t>(-1);

class Slicing {
 public:
  explicit Slicing(const Schedule& whole)
      : whole_(whole),
        slices_(whole.micro_batches),
        place_of_op_(whole.ops.size(), none),
        place_of_tensor_(whole.tensors.size(), none) {}

  std::vector<MicroBatchSlice> run() && {
    for (MicroBatchSlice& slice : slices_) {
      slice.schedule.name = whole_.name;
      slice.schedule.layer_names = whole_.layer_names;
      slice.schedule.orders.resize(whole_.orders.size());
      slice.schedule.stages = whole_.stages;
      slice.schedule.split = whole_.split;
    }
    for (OpId op = 0; op < whole_.ops.size(); ++op) add_op(op);
    for (TensorId id = 0; id < whole_.tensors.size(); ++id) add_tensor(id);
    for (const Edge& edge : whole_.edges) add_edge(edge);
    return std::move(slices_);
  }

 private:
  [[nodiscard]] std::size_t micro_batch(OpId op) const {
    return whole_.ops[op].parts.front().micro_batch;
  }

  void add_op(OpId id) {
    MicroBatchSlice& slice = slices_[micro_batch(id)];
    place_of_op_[id] = slice.ops.size();
    slice.ops.push_back(id);
    slice.schedule.ops.push_back(whole_.ops[id]);
    for (OpPart& part : slice.schedule.ops.back().parts) part.micro_batch = 0;
  }

  void add_tensor(TensorId id) {
    Tensor tensor = whole_.tensors[id];
    if (tensor.tensor_class == TensorClass::additional_weights) return;
    MicroBatchSlice& slice = slices_[tensor.micro_batch];
    for (OpId& producer : tensor.producers) producer = place_of_op_[producer];
    for (TensorId& part : tensor.parts) part = place_of_tensor_[part];
    tensor.micro_batch = 0;
    place_of_tensor_[id] = slice.tensors.size();
    slice.tensors.push_back(id);
    slice.schedule.tensors.push_back(std::move(tensor));
  }

  void add_edge(Edge edge) {
    const bool is_within = edge.input != InputKind::weights &&
                           edge.input != InputKind::weight_version &&
                           micro_batch(edge.from) == micro_batch(edge.to);
    if (!is_within) return;
    MicroBatchSlice& slice = slices_[micro_batch(edge.to)];
    edge.from = place_of_op_[edge.from];
    edge.to = place_of_op_[edge.to];
    if (edge.tensor != Edge::no_tensor) edge.tensor = place_of_tensor_[edge.tensor];
    slice.schedule.edges.push_back(edge);
  }

  const Schedule& whole_;
  std::vector<MicroBatchSlice> slices_;
  std::vector<std::size_t> place_of_op_;      ///< [op]: in its slice
  std::vector<std::size_t> place_of_tensor_;  ///< [tensor]: in its slice
};

}  // namespace

std::vector<MicroBatchSlice> micro_batch_slices(const Schedule& schedule) {
  return Slicing(schedule).run();
}

}  // namespace layerpipe::contract
