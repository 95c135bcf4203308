#include "sim/trace/arrows.hpp"

#include <algorithm>
#include <limits>

namespace layerpipe::trace {

using contract::TensorClass;
using contract::TensorId;

namespace {

bool is_sent(const contract::Tensor& tensor) { return tensor.tensor_class != TensorClass::local; }

}  // namespace

Arrows::Arrows(const contract::Schedule& schedule, const events::Channels& channels)
    : schedule_(schedule),
      channels_(channels),
      inputs_(schedule.ops.size()),
      made_by_(schedule.ops.size()),
      wholes_(schedule.tensors.size()),
      least_tokens_(contract::least_tokens(schedule, std::numeric_limits<std::int64_t>::max())),
      users_(schedule.tensors.size(), 0),
      sources_(schedule.tensors.size()) {
  for (const contract::Edge& edge : schedule.edges) {
    if (edge.tensor == contract::Edge::no_tensor) continue;
    add_input(edge.to, edge.tensor, edge.tokens);
  }
  for (TensorId id = schedule.tensors.size(); id-- > 0;) {
    if (is_sent(schedule.tensors[id])) add_origins(id, id);
  }
}

/// What `whole` is made of, also by way of sums that stay.
void Arrows::add_origins(TensorId whole, TensorId tensor) {
  for (const contract::OpId op : schedule_.tensors[tensor].producers) {
    made_by_[op].push_back(whole);
  }
  for (const TensorId part : schedule_.tensors[tensor].parts) {
    if (is_sent(schedule_.tensors[part])) {
      wholes_[part].push_back(whole);
    } else {
      add_origins(whole, part);
    }
  }
}

/// Who waits for a sum that stays waits for the parts that were sent.
void Arrows::add_input(contract::OpId op, TensorId tensor, std::int64_t tokens) {
  if (is_sent(schedule_.tensors[tensor])) {
    inputs_[op].push_back({tensor, tokens});
    ++users_[tensor];
    return;
  }
  for (const TensorId part : schedule_.tensors[tensor].parts) add_input(op, part, tokens);
}

std::vector<Arrow> Arrows::operation(const OperationSlice& slice) {
  const std::size_t processor = schedule_.ops[slice.op].processor;
  std::vector<Arrow> arrows;
  for (const Input& input : inputs_[slice.op]) {
    Source* source = find(input.tensor, slice.minibatch - input.tokens);
    if (source == nullptr || !source->transfer_date) continue;
    arrows.push_back({source->is_channel, source->track, source->date,
                      channels_.of_tensor[input.tensor], *source->transfer_date, processor,
                      slice.start});
    ++source->uses;
    drop_used(input.tensor);
  }
  for (const TensorId tensor : made_by_[slice.op]) {
    if (users_[tensor] == 0 && wholes_[tensor].empty()) continue;
    set_source(tensor, {slice.minibatch, false, processor, std::max(slice.start, slice.end - 1),
                        std::nullopt, 0});
  }
  return arrows;
}

void Arrows::transfer(const TransferSlice& slice) {
  const std::int64_t minibatch = slice.minibatch - least_tokens_[slice.tensor];
  Source* source = find(slice.tensor, minibatch);
  if (source != nullptr) source->transfer_date = slice.start;
  for (const TensorId whole : wholes_[slice.tensor]) {
    set_source(whole, {minibatch, true, channels_.of_tensor[slice.tensor],
                       std::max(slice.start, slice.end - 1), std::nullopt, 0});
  }
  drop_used(slice.tensor);
}

std::int64_t Arrows::earliest_begin() const {
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const std::deque<Source>& sources : sources_) {
    for (const Source& source : sources) earliest = std::min(earliest, source.date);
  }
  return earliest;
}

/// The last one to make it counts.
void Arrows::set_source(TensorId tensor, const Source& source) {
  Source* known = find(tensor, source.minibatch);
  if (known != nullptr) {
    *known = source;
  } else {
    sources_[tensor].push_back(source);
  }
}

Arrows::Source* Arrows::find(TensorId tensor, std::int64_t minibatch) {
  const auto source = std::ranges::find(sources_[tensor], minibatch, &Source::minibatch);
  return source == sources_[tensor].end() ? nullptr : &*source;
}

void Arrows::drop_used(TensorId tensor) {
  std::deque<Source>& sources = sources_[tensor];
  while (!sources.empty() && sources.front().transfer_date &&
         sources.front().uses >= users_[tensor]) {
    sources.pop_front();
  }
}

}  // namespace layerpipe::trace
