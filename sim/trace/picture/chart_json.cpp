#include <nlohmann/json.hpp>

#include "sim/trace/picture/chart.hpp"

namespace layerpipe::trace {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TraceSpan, begin, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Chart::Line, name, note, is_channel)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Chart::Look, paint, symbol, subject, number, details)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Chart::Bar, line, look, minibatch, start, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Chart::Arrow, from_line, from_date, channel_line, transfer_date,
                                   to_line, to_date)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Chart, subject, schedule, parameters, clock_hertz, period_cycles,
                                   span, lines, looks, bars, arrows)

nlohmann::json to_json(const Chart& chart) { return chart; }

Chart chart_from_json(const nlohmann::json& json) { return json.get<Chart>(); }

}  // namespace layerpipe::trace
