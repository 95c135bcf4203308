#include "sim/trace/picture/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/trace/picture/caption.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::trace {
namespace {

using base::format_count;
using base::printable;

constexpr auto not_drawn = static_cast<std::size_t>(-1);

std::string_view short_symbol(TraceKind kind) {
  switch (kind) {
    case TraceKind::forward:
      return "FP";
    case TraceKind::delta:
      return "\u03b4";
    case TraceKind::delta_kept:
      return "\u03b4\u2032";
    case TraceKind::delta_lent:
      return "\u03b4\u2033";
    case TraceKind::weight_gradient:
      return "G";
    case TraceKind::backward:
      return "BP";
  }
  throw InternalError("unknown kind of trace state");
}

std::string cause_in_words(metrics::StallCause cause) {
  if (cause == metrics::StallCause::weight_version) return "own update";
  return std::string(to_string(cause));
}

std::string layer_numbers(const contract::Op& op) {
  const auto [first, last] = std::ranges::minmax(op.parts, {}, &contract::OpPart::layer);
  if (first.layer == last.layer) return fmt::format("{}", first.layer + 1);
  return fmt::format("{}-{}", first.layer + 1, last.layer + 1);
}

}  // namespace

void require_room_in_chart(const contract::Schedule& schedule, std::int64_t minibatches) {
  const std::int64_t operations = std::ssize(schedule.ops);
  const std::int64_t room = most_operations_in_chart / operations;
  if (minibatches <= room) return;
  throw InfeasibleError(fmt::format(
      "{} minibatches of {} operations are too many for a picture of {}, which has room for {} "
      "operations (expected {})",
      format_count(minibatches), format_count(operations), schedule.name,
      format_count(most_operations_in_chart),
      room > 1 ? fmt::format("--trace-iterations A:B with fewer than {} minibatches", room)
               : "another format of traces"));
}

ChartRecorder::ChartRecorder(const TraceSubject& subject)
    : schedule_(subject.schedule),
      channels_(subject.channels),
      arrows_(subject.schedule, subject.channels) {
  chart_.clock_hertz = subject.machine.clock_hertz;
  add_lines(subject);
  add_looks(subject.schedule);
}

void ChartRecorder::add_lines(const TraceSubject& subject) {
  line_of_processor_.assign(subject.machine.processors.size(), not_drawn);
  for (const contract::Op& op : schedule_.ops) line_of_processor_[op.processor] = 0;
  for (std::size_t p = 0; p < line_of_processor_.size(); ++p) {
    if (line_of_processor_[p] == not_drawn) continue;
    line_of_processor_[p] = chart_.lines.size();
    chart_.lines.push_back({printable(subject.machine.processors[p]), "", false});
  }
  first_channel_ = chart_.lines.size();
  for (const events::Channel& channel : channels_.channels) {
    chart_.lines.push_back({printable(channel_label(subject.machine, channel)), "", true});
  }
}

void ChartRecorder::add_looks(const contract::Schedule& schedule) {
  const std::vector<OperationLabel> operations = operation_labels(schedule);
  for (std::size_t op = 0; op < operations.size(); ++op) {
    const OperationLabel& label = operations[op];
    chart_.looks.push_back({paint(label.kind), std::string(short_symbol(label.kind)),
                            printable(label.layers), layer_numbers(schedule.ops[op]),
                            printable(label.text)});
    if (label.fraction < 1.0) {
      chart_.looks.back().details += fmt::format(", {:.4g} of it", label.fraction);
    }
  }
  first_cause_ = chart_.looks.size();
  for (const metrics::StallCause cause : metrics::all_stall_causes) {
    chart_.looks.push_back({paint(cause), cause_in_words(cause), "", "",
                            fmt::format("idle, stall {}", to_string(cause))});
  }
  first_tensor_ = chart_.looks.size();
  const std::vector<std::string> tensors = tensor_labels(schedule);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const contract::Tensor& tensor = schedule.tensors[t];
    if (tensor.tensor_class == contract::TensorClass::local) {
      chart_.looks.emplace_back();
      continue;
    }
    chart_.looks.push_back(
        {paint(tensor.tensor_class), "", "", "",
         fmt::format("{}, {} bytes", printable(tensors[t]), format_count(tensor.bytes))});
  }
}

void ChartRecorder::operation(const OperationSlice& slice) {
  if (++operations_ > most_operations_in_chart) return;
  add_bar({line_of_processor_[schedule_.ops[slice.op].processor], slice.op, slice.minibatch,
           slice.start, slice.end});
  for (const Arrow& arrow : arrows_.operation(slice)) add_arrow(arrow);
}

void ChartRecorder::transfer(const TransferSlice& slice) {
  if (operations_ > most_operations_in_chart) return;
  arrows_.transfer(slice);
  add_bar({first_channel_ + channels_.of_tensor[slice.tensor], first_tensor_ + slice.tensor,
           slice.minibatch, slice.start, slice.end});
}

void ChartRecorder::stall(const metrics::StallInterval& slice) {
  const std::size_t line = line_of_processor_[slice.processor];
  if (line == not_drawn) return;
  add_bar({line, first_cause_ + static_cast<std::size_t>(slice.cause), Chart::Bar::none,
           slice.start, slice.end});
}

void ChartRecorder::add_bar(const Chart::Bar& bar) {
  if (operations_ <= most_operations_in_chart) chart_.bars.push_back(bar);
}

void ChartRecorder::add_arrow(const Arrow& arrow) {
  const std::size_t from =
      arrow.from_channel ? first_channel_ + arrow.from_track : line_of_processor_[arrow.from_track];
  chart_.arrows.push_back({from, arrow.from_date, first_channel_ + arrow.channel,
                           arrow.transfer_date, line_of_processor_[arrow.to_processor],
                           arrow.to_date});
}

void ChartRecorder::finish(const metrics::Result& result, const TraceSpan& span) {
  if (operations_ > most_operations_in_chart) {
    throw InfeasibleError(fmt::format(
        "{} operations are too many for a picture of {}, which has room for {} (expected fewer "
        "minibatches by --trace-iterations A:B)",
        format_count(operations_), schedule_.name, format_count(most_operations_in_chart)));
  }
  const Caption text = caption(result);
  chart_.subject = text.subject;
  chart_.schedule = text.schedule;
  chart_.parameters = text.parameters;
  chart_.period_cycles = result.steady_state.period_cycles;
  chart_.span = span;
  for (std::size_t p = 0; p < line_of_processor_.size(); ++p) {
    if (line_of_processor_[p] != not_drawn) {
      chart_.lines[line_of_processor_[p]].note = layers_note(result, p);
    }
  }
}

}  // namespace layerpipe::trace
