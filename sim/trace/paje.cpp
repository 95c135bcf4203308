#include "sim/trace/paje.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/trace/labels.hpp"
#include "sim/trace/palette.hpp"

/// Event numbers, types and aliases of the trace: m the machine, p<n> a processor, c<n> a channel,
/// l<n> a link, o<n> an operation, s<n> a cause of stalls, t<n> a tensor.
namespace layerpipe::trace {
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
%EventDef PajePushState 7
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajeDefineVariableType 8
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeSetVariable 9
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
%EventDef PajeDefineLinkType 10
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeStartLink 11
%  Time date
%  Type string
%  Container string
%  StartContainer string
%  Value string
%  Key string
%EndEventDef
%EventDef PajeEndLink 12
%  Time date
%  Type string
%  Container string
%  EndContainer string
%  Value string
%  Key string
%EndEventDef
%EventDef PajePushState 13
%  Time date
%  Type string
%  Container string
%  Value string
%  Minibatch string
%  Bytes string
%EndEventDef
0 M 0 "Machine"
0 P M "Processor"
0 C M "Channel"
0 L M "Link"
1 O P "Operation"
1 S P "Stall"
1 T C "Transfer"
10 D M P P "Data"
10 E M C P "Data passed on"
)";

/// Red, green and blue from 0 to 1.
std::string paje_color(const Color& color) {
  return fmt::format("\"{:.2f} {:.2f} {:.2f}\"", color.red / 255.0, color.green / 255.0,
                     color.blue / 255.0);
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

PajeTrace::PajeTrace(std::ostream& stream, const TraceSubject& subject)
    : stream_(stream),
      lines_(stream),
      machine_(subject.machine),
      schedule_(subject.schedule),
      channels_(subject.channels),
      clock_(subject.machine.clock_hertz),
      arrows_(subject.schedule, subject.channels),
      is_idle_(subject.machine.processors.size(), true),
      links_(subject.channels.shared_links),
      busy_fraction_(subject.machine.links.size(), -1.0) {
  for (const contract::Op& op : schedule_.ops) is_idle_[op.processor] = false;
  if (subject.provenance) fmt::print(stream_, "# {}\n", to_line(*subject.provenance));
  fmt::print(stream_, "{}8 B L \"Busy\" {}\n8 W P \"Weights\" {}\n8 A P \"Activations\" {}\n",
             definitions, paje_color(color(contract::TensorClass::mandatory)),
             paje_color(color(contract::TensorClass::additional_weights)),
             paje_color(color(TraceKind::forward)));
  define_values();
  create_containers();
  begin_drain_of_idle_processors();
}

void PajeTrace::define_values() const {
  const std::vector<OperationLabel> operations = operation_labels(schedule_);
  for (std::size_t op = 0; op < operations.size(); ++op) {
    fmt::print(stream_, "2 o{} O {} {}\n", op, quoted_name(operations[op].text),
               paje_color(color(operations[op].kind)));
  }
  for (const metrics::StallCause cause : metrics::all_stall_causes) {
    fmt::print(stream_, "2 s{} S {} {}\n", static_cast<int>(cause),
               quoted_name(std::string(to_string(cause))), paje_color(stall_color()));
  }
  const std::string arrow_color = paje_color(color(contract::TensorClass::mandatory));
  fmt::print(stream_, "2 d D \"data\" {0}\n2 e E \"data\" {0}\n", arrow_color);
  const std::vector<std::string> tensors = tensor_labels(schedule_);
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    if (channels_.of_tensor[tensor] == events::Channels::none) continue;
    fmt::print(stream_, "2 t{} T {} {}\n", tensor, quoted_name(tensors[tensor]),
               paje_color(color(schedule_.tensors[tensor].tensor_class)));
  }
}

void PajeTrace::create_containers() const {
  const std::string start = clock_.seconds(0);
  fmt::print(stream_, "3 {} m M 0 {}\n", start, quoted_name(machine_.name));
  for (std::size_t p = 0; p < machine_.processors.size(); ++p) {
    fmt::print(stream_, "3 {} p{} P m {}\n", start, p, quoted_name(machine_.processors[p]));
  }
  for (std::size_t c = 0; c < channels_.channels.size(); ++c) {
    fmt::print(stream_, "3 {} c{} C m {}\n", start, c,
               quoted_name(channel_label(machine_, channels_.channels[c])));
  }
  for (const std::size_t link : links_) {
    fmt::print(stream_, "3 {} l{} L m {}\n", start, link, quoted_name(machine_.links[link].name));
  }
}

/// It is told at the end of the run, and begins with it.
void PajeTrace::begin_drain_of_idle_processors() {
  for (std::size_t p = 0; p < schedule_.orders.size(); ++p) {
    if (!is_idle_[p]) continue;
    lines_.add(0, FMT_COMPILE("7 {} S p{} s{}"), clock_.seconds(0), p,
               static_cast<int>(metrics::StallCause::drain));
  }
}

void PajeTrace::begins(std::int64_t date) {
  clock_.begin_at(date);
  fmt::print(stream_, "# Date 0 is cycle {} of the run.\n", date);
}

void PajeTrace::operation(const OperationSlice& slice) {
  const std::size_t p = schedule_.ops[slice.op].processor;
  lines_.add(slice.start, FMT_COMPILE("5 {} O p{} o{} m{}"), clock_.seconds(slice.start), p,
             slice.op, slice.minibatch);
  lines_.add(slice.end, FMT_COMPILE("6 {} O p{}"), clock_.seconds(slice.end), p);
  last_date_ = std::max(last_date_, slice.end);
  for (const Arrow& arrow : arrows_.operation(slice)) draw(arrow);
}

void PajeTrace::transfer(const TransferSlice& slice) {
  const std::size_t c = channels_.of_tensor[slice.tensor];
  lines_.add(slice.start, FMT_COMPILE("13 {} T c{} t{} m{} {}"), clock_.seconds(slice.start), c,
             slice.tensor, slice.minibatch, schedule_.tensors[slice.tensor].bytes);
  lines_.add(slice.end, FMT_COMPILE("6 {} T c{}"), clock_.seconds(slice.end), c);
  last_date_ = std::max(last_date_, slice.end);
  arrows_.transfer(slice);
}

void PajeTrace::draw(const Arrow& arrow) {
  const std::int64_t key = ++arrows_drawn_;
  const char type = arrow.from_channel ? 'E' : 'D';
  const char value = arrow.from_channel ? 'e' : 'd';
  const char from = arrow.from_channel ? 'c' : 'p';
  lines_.add(arrow.from_date, FMT_COMPILE("11 {} {} m {}{} {} {}"), clock_.seconds(arrow.from_date),
             type, from, arrow.from_track, value, key);
  lines_.add(arrow.to_date, FMT_COMPILE("12 {} {} m p{} {} {}"), clock_.seconds(arrow.to_date),
             type, arrow.to_processor, value, key);
}

void PajeTrace::settled(std::int64_t date) {
  lines_.write_until(std::min(date, arrows_.earliest_begin()));
}

void PajeTrace::stall(const metrics::StallInterval& slice) {
  if (!is_idle_[slice.processor]) {
    lines_.add(slice.start, FMT_COMPILE("7 {} S p{} s{}"), clock_.seconds(slice.start),
               slice.processor, static_cast<int>(slice.cause));
  }
  lines_.add(slice.end, FMT_COMPILE("6 {} S p{}"), clock_.seconds(slice.end), slice.processor);
  last_date_ = std::max(last_date_, slice.end);
}

void PajeTrace::link_use(const LinkUse& use) {
  const double fraction = busy_fraction(use, machine_);
  last_date_ = std::max(last_date_, use.end);
  if (fraction == busy_fraction_[use.link]) return;
  busy_fraction_[use.link] = fraction;
  lines_.add(use.start, FMT_COMPILE("9 {} B l{} {:.9g}"), clock_.seconds(use.start), use.link,
             fraction);
}

void PajeTrace::memory_use(const MemoryUse& use) {
  const std::string date = clock_.seconds(use.date);
  lines_.add(use.date, FMT_COMPILE("9 {} W p{} {}"), date, use.processor, use.weight_bytes);
  lines_.add(use.date, FMT_COMPILE("9 {} A p{} {}"), date, use.processor, use.activation_bytes);
  last_date_ = std::max(last_date_, use.date);
}

void PajeTrace::finish(const metrics::Result& /*result*/, const TraceSpan& /*span*/) {
  lines_.write_all();
  const std::string end = clock_.seconds(last_date_);
  for (const std::size_t link : links_) fmt::print(stream_, "4 {} L l{}\n", end, link);
  for (std::size_t c = 0; c < channels_.channels.size(); ++c) {
    fmt::print(stream_, "4 {} C c{}\n", end, c);
  }
  for (std::size_t p = 0; p < is_idle_.size(); ++p) fmt::print(stream_, "4 {} P p{}\n", end, p);
  fmt::print(stream_, "4 {} M m\n", end);
}

}  // namespace layerpipe::trace
