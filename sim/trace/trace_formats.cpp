#include "sim/trace/trace_formats.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "sim/trace/csv_trace.hpp"
#include "sim/trace/json_trace.hpp"
#include "sim/trace/paje.hpp"
#include "sim/trace/svg_trace.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::trace {
namespace {

struct TraceFormat {
  std::string_view suffix;
  std::unique_ptr<TraceWriter> (*make)(std::ostream& stream, const TraceSubject& subject);
  bool is_picture = false;
  bool needs_sidecar = false;
};

template <typename Writer>
std::unique_ptr<TraceWriter> make(std::ostream& stream, const TraceSubject& subject) {
  return std::make_unique<Writer>(stream, subject);
}

constexpr std::array formats{
    TraceFormat{".paje", make<PajeTrace>}, TraceFormat{".trace", make<PajeTrace>},
    TraceFormat{".json", make<JsonTrace>}, TraceFormat{".csv", make<CsvTrace>, false, true},
    TraceFormat{".svg", make<SvgTrace>, true}};

const TraceFormat& format_of(std::string_view path) {
  std::vector<std::string_view> suffixes;
  for (const TraceFormat& format : formats) {
    if (path.ends_with(format.suffix)) return format;
    suffixes.push_back(format.suffix);
  }
  throw InputError(fmt::format("{} has no suffix of a trace (expected {})", base::in_quotes(path),
                               base::one_of(suffixes)));
}

}  // namespace

void require_trace_suffix(std::string_view path) { static_cast<void>(format_of(path)); }

bool is_picture(std::string_view path) { return format_of(path).is_picture; }

bool needs_sidecar(std::string_view path) { return format_of(path).needs_sidecar; }

void require_room(std::string_view path, const contract::Schedule& schedule,
                  std::int64_t minibatches) {
  if (is_picture(path)) require_room_in_chart(schedule, minibatches);
}

std::unique_ptr<TraceWriter> make_trace_writer(std::string_view path, std::ostream& stream,
                                               const TraceSubject& subject) {
  return format_of(path).make(stream, subject);
}

}  // namespace layerpipe::trace
