#include "sim/trace/json_trace.hpp"

#include <fmt/compile.h>
#include <fmt/ostream.h>

#include <iterator>

#include "sim/trace/labels.hpp"
#include "sim/trace/palette.hpp"

/// Process 1 has the processors' tracks, process 2 the channels', process 3 the links', process 4
/// what processors hold.
namespace layerpipe::trace {
namespace {

constexpr int processors_id = 1;
constexpr int channels_id = 2;
constexpr int links_id = 3;
constexpr int memory_id = 4;

/// A JSON string. Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// As fmt::print, for what is written often: FMT_COMPILE has `format` parsed by the compiler.
template <typename Format, typename... Values>
void write(std::ostream& stream, const Format& format, const Values&... values) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), format, values...);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void name_track(std::ostream& stream, int process, std::size_t track, std::string_view name) {
  fmt::print(stream,
             ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\",\"args\":"
             "{{\"name\":{2}}}}},\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":"
             "\"thread_sort_index\",\"args\":{{\"sort_index\":{1}}}}}",
             process, track, json_string(name));
}

void name_process(std::ostream& stream, int process, std::string_view name) {
  fmt::print(stream,
             "{}{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_name\",\"args\":"
             "{{\"name\":{}}}}}",
             process == processors_id ? "" : ",\n", process, json_string(name));
}

}  // namespace

JsonTrace::JsonTrace(std::ostream& stream, const TraceSubject& subject)
    : stream_(stream),
      machine_(subject.machine),
      clock_(subject.machine.clock_hertz),
      schedule_(subject.schedule),
      channels_(subject.channels),
      arrows_(subject.schedule, subject.channels) {
  describe_operations(schedule_);
  describe_transfers(schedule_);
  if (subject.provenance) other_data_ = to_json(*subject.provenance);
  other_data_["begin_cycle"] = 0;
  stream_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  name_process(stream_, processors_id, "Processors of " + subject.machine.name);
  name_process(stream_, channels_id, "Channels of " + subject.machine.name);
  name_process(stream_, links_id, "Links of " + subject.machine.name);
  name_process(stream_, memory_id, "Memory of " + subject.machine.name);
  name_tracks(subject);
}

void JsonTrace::name_tracks(const TraceSubject& subject) {
  for (std::size_t p = 0; p < subject.machine.processors.size(); ++p) {
    name_track(stream_, processors_id, p, subject.machine.processors[p]);
  }
  for (std::size_t c = 0; c < channels_.channels.size(); ++c) {
    name_track(stream_, channels_id, c, channel_label(subject.machine, channels_.channels[c]));
  }
}

void JsonTrace::describe_operations(const contract::Schedule& schedule) {
  for (const OperationLabel& label : operation_labels(schedule)) {
    const std::string_view kind = to_string(label.kind);
    operations_.push_back(fmt::format(
        "\"name\":{},\"cat\":\"{}\",\"cname\":\"{}\",\"args\":{{\"kind\":\"{}\",\"layer\":{},"
        "\"fraction\":{}",
        json_string(label.text), kind, color(label.kind).chrome_name, kind,
        json_string(label.layers), label.fraction));
  }
}

void JsonTrace::describe_transfers(const contract::Schedule& schedule) {
  const std::vector<std::string> labels = tensor_labels(schedule);
  for (std::size_t t = 0; t < labels.size(); ++t) {
    const contract::Tensor& tensor = schedule.tensors[t];
    const std::string_view tensor_class = to_string(tensor.tensor_class);
    const bool is_sent = tensor.tensor_class != contract::TensorClass::local;
    transfers_.push_back(fmt::format(
        "\"name\":{},\"cat\":\"{}\",\"cname\":\"{}\",\"args\":{{\"class\":\"{}\",\"bytes\":{}",
        json_string(labels[t]), tensor_class, is_sent ? color(tensor.tensor_class).chrome_name : "",
        tensor_class, tensor.bytes));
  }
}

void JsonTrace::begins(std::int64_t date) {
  clock_.begin_at(date);
  other_data_["begin_cycle"] = date;
}

void JsonTrace::operation(const OperationSlice& slice) {
  write(stream_,
        FMT_COMPILE(
            ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},{},\"minibatch\":{},"
            "\"cycles\":{}}}}}"),
        processors_id, schedule_.ops[slice.op].processor, clock_.microseconds(slice.start),
        clock_.microseconds_between(slice.start, slice.end), operations_[slice.op], slice.minibatch,
        slice.end - slice.start);
  for (const Arrow& arrow : arrows_.operation(slice)) write_arrow(arrow);
}

void JsonTrace::transfer(const TransferSlice& slice) {
  write(stream_,
        FMT_COMPILE(
            ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},{},\"minibatch\":{},"
            "\"queued_cycles\":{},\"cycles\":{}}}}}"),
        channels_id, channels_.of_tensor[slice.tensor], clock_.microseconds(slice.start),
        clock_.microseconds_between(slice.start, slice.end), transfers_[slice.tensor],
        slice.minibatch, slice.start - slice.queued, slice.end - slice.start);
  arrows_.transfer(slice);
}

void JsonTrace::stall(const metrics::StallInterval& slice) {
  write(stream_,
        FMT_COMPILE(
            ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"stall {}\","
            "\"cat\":\"stall\",\"cname\":\"{}\",\"args\":{{\"cause\":\"{}\",\"cycles\":{}}}}}"),
        processors_id, slice.processor, clock_.microseconds(slice.start),
        clock_.microseconds_between(slice.start, slice.end), to_string(slice.cause),
        stall_color().chrome_name, to_string(slice.cause), slice.end - slice.start);
}

void JsonTrace::write_arrow(const Arrow& arrow) {
  const std::int64_t id = ++arrows_written_;
  const auto point = [&](std::string_view phase, int process, std::size_t track,
                         std::int64_t date) {
    write(stream_,
          FMT_COMPILE(",\n{{\"ph\":{},\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"data\","
                      "\"cat\":\"data\"}}"),
          phase, id, process, track, clock_.microseconds(date));
  };
  point("\"s\"", arrow.from_channel ? channels_id : processors_id, arrow.from_track,
        arrow.from_date);
  point("\"t\"", channels_id, arrow.channel, arrow.transfer_date);
  point("\"f\",\"bp\":\"e\"", processors_id, arrow.to_processor, arrow.to_date);
}

void JsonTrace::link_use(const LinkUse& use) {
  const double fraction = busy_fraction(use, machine_);
  links_until_ = use.end;
  const auto [last, is_first] = busy_fraction_.emplace(use.link, fraction);
  if (!is_first && last->second == fraction) return;
  last->second = fraction;
  write_busy(use.link, use.start, fraction);
}

/// Counters of one process and name are one track.
void JsonTrace::write_busy(std::size_t link, std::int64_t date, double fraction) {
  write(stream_,
        FMT_COMPILE(
            ",\n{{\"ph\":\"C\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":{},\"args\":{{\"busy\":{:."
            "9g}}}}}"),
        links_id, link, clock_.microseconds(date), json_string(machine_.links[link].name),
        fraction);
}

void JsonTrace::memory_use(const MemoryUse& use) {
  write(stream_,
        FMT_COMPILE(",\n{{\"ph\":\"C\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":{},\"args\":{{"
                    "\"weight_bytes\":{},\"activation_bytes\":{}}}}}"),
        memory_id, use.processor, clock_.microseconds(use.date),
        json_string(machine_.processors[use.processor]), use.weight_bytes, use.activation_bytes);
}

void JsonTrace::finish(const metrics::Result& /*result*/, const TraceSpan& /*span*/) {
  for (const auto& [link, fraction] : busy_fraction_) write_busy(link, links_until_, 0.0);
  stream_ << "\n],\"otherData\":"
          << other_data_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "}\n";
}

}  // namespace layerpipe::trace
