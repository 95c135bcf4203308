#include "sim/trace/paje.hpp"

#include <fmt/ostream.h>

#include <cmath>
#include <string_view>

#include "sim/trace/labels.hpp"
#include "workloads/base/error.hpp"

/// Event numbers, types and aliases of the trace: m the machine, p<n> a processor, c<n> a channel,
/// o<n> an operation, t<n> a tensor.
namespace layerpipe::sim {
namespace {

constexpr std::string_view definitions = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 2
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 3
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 4
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajePushState 5
%  Time date
%  Type string
%  Container string
%  Value string
%  Minibatch string
%EndEventDef
%EventDef PajePopState 6
%  Time date
%  Type string
%  Container string
%EndEventDef
0 M 0 "Machine"
0 P M "Processor"
0 C M "Channel"
1 O P "Operation"
1 T C "Transfer"
)";

/// Red, green and blue of Okabe and Ito's palette, which the colour-blind can tell apart.
std::string_view color(TraceKind kind) {
  switch (kind) {
    case TraceKind::forward:
      return "0.00 0.45 0.70";  // blue
    case TraceKind::delta:
      return "0.90 0.60 0.00";  // orange
    case TraceKind::delta_kept:
      return "0.84 0.37 0.00";  // vermilion
    case TraceKind::delta_lent:
      return "0.80 0.47 0.65";  // reddish purple
    case TraceKind::weight_gradient:
      return "0.00 0.62 0.45";  // bluish green
    case TraceKind::backward:
      return "0.94 0.89 0.26";  // yellow
  }
  throw InternalError("unknown kind of trace state");
}

std::string_view color(scheduler::TensorClass tensor_class) {
  switch (tensor_class) {
    case scheduler::TensorClass::local:
      break;
    case scheduler::TensorClass::mandatory:
      return "0.60 0.60 0.60";  // grey
    case scheduler::TensorClass::additional_weights:
      return "0.34 0.71 0.91";  // sky blue
    case scheduler::TensorClass::additional_gradients:
      return "0.84 0.37 0.00";  // vermilion
  }
  throw InternalError("unknown class of tensor");
}

/// The format has no way to write a quote or a line feed in a name.
std::string quoted_name(std::string name) {
  for (char& c : name) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return fmt::format("\"{}\"", name);
}

}  // namespace

PajeTrace::PajeTrace(std::ostream& stream, const platforms::Machine& machine,
                     const scheduler::Schedule& schedule, const Channels& channels)
    : stream_(stream),
      schedule_(schedule),
      channels_(channels),
      clock_hertz_(machine.clock_hertz),
      processors_(machine.processors.size()) {
  stream_ << definitions;
  define_values();
  create_containers(machine);
}

void PajeTrace::define_values() const {
  const std::vector<OperationLabel> operations = operation_labels(schedule_);
  for (std::size_t op = 0; op < operations.size(); ++op) {
    fmt::print(stream_, "2 o{} O {} \"{}\"\n", op, quoted_name(operations[op].text),
               color(operations[op].kind));
  }
  const std::vector<std::string> tensors = tensor_labels(schedule_);
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    if (channels_.of_tensor[tensor] == Channels::none) continue;
    fmt::print(stream_, "2 t{} T {} \"{}\"\n", tensor, quoted_name(tensors[tensor]),
               color(schedule_.tensors[tensor].tensor_class));
  }
}

void PajeTrace::create_containers(const platforms::Machine& machine) const {
  const std::string start = decimal_seconds(0, clock_hertz_);
  fmt::print(stream_, "3 {} m M 0 {}\n", start, quoted_name(machine.name));
  for (std::size_t p = 0; p < processors_; ++p) {
    fmt::print(stream_, "3 {} p{} P m {}\n", start, p, quoted_name(machine.processors[p]));
  }
  for (std::size_t c = 0; c < channels_.channels.size(); ++c) {
    const Channel& channel = channels_.channels[c];
    const std::string name = fmt::format("{} -> {}", machine.processors[channel.source],
                                         machine.processors[channel.destination]);
    fmt::print(stream_, "3 {} c{} C m {}\n", start, c, quoted_name(name));
  }
}

void PajeTrace::record(const Event& event) {
  const std::string time = decimal_seconds(event.date, clock_hertz_);
  last_date_ = event.date;
  switch (event.kind) {
    case EventKind::operation_started:
      fmt::print(stream_, "5 {} O p{} o{} m{}\n", time, schedule_.ops[event.id].processor, event.id,
                 event.minibatch);
      break;
    case EventKind::operation_ended:
      fmt::print(stream_, "6 {} O p{}\n", time, schedule_.ops[event.id].processor);
      break;
    case EventKind::transfer_started:
      fmt::print(stream_, "5 {} T c{} t{} m{}\n", time, channels_.of_tensor[event.id], event.id,
                 event.minibatch);
      break;
    case EventKind::transfer_ended:
      fmt::print(stream_, "6 {} T c{}\n", time, channels_.of_tensor[event.id]);
      break;
    case EventKind::sum_completed:
      break;
  }
}

void PajeTrace::finish() {
  const std::string end = decimal_seconds(last_date_, clock_hertz_);
  for (std::size_t c = 0; c < channels_.channels.size(); ++c) {
    fmt::print(stream_, "4 {} C c{}\n", end, c);
  }
  for (std::size_t p = 0; p < processors_; ++p) fmt::print(stream_, "4 {} P p{}\n", end, p);
  fmt::print(stream_, "4 {} M m\n", end);
}

std::string decimal_seconds(std::int64_t cycles, double clock_hertz) {
  constexpr std::int64_t per_second = 1'000'000'000'000;
  const long double seconds = static_cast<long double>(cycles) / clock_hertz;
  auto whole = static_cast<std::int64_t>(seconds);
  std::int64_t picoseconds = std::llround((seconds - static_cast<long double>(whole)) * per_second);
  if (picoseconds == per_second) {
    ++whole;
    picoseconds = 0;
  }
  return fmt::format("{}.{:012}", whole, picoseconds);
}

}  // namespace layerpipe::sim
