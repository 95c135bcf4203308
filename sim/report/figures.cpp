#include "sim/report/figures.hpp"

#include <fmt/format.h>

#include <cmath>

#include "workloads/base/units.hpp"

namespace layerpipe::sim {

bool is_idle(const ProcessorResult& processor) { return processor.layers.empty(); }

StallCycles stalls_of_used(const Result& result) {
  StallCycles sum;
  for (const ProcessorResult& processor : result.processors) {
    if (is_idle(processor)) continue;
    for (const StallCause& cause : stall_causes) {
      sum.*cause.cycles += processor.stall_cycles.*cause.cycles;
    }
  }
  return sum;
}

double stalled_share(const Result& result) {
  const auto run = static_cast<double>(result.makespan_cycles * result.processors_used);
  return run > 0.0 ? static_cast<double>(total(stalls_of_used(result))) / run : 0.0;
}

double speedup_over_one_processor(const Result& result) {
  return static_cast<double>(result.bounds.one_processor_cycles) /
         result.steady_state.period_cycles;
}

Busiest busiest(const Result& result) {
  Busiest best{{}, -1.0};
  for (const ProcessorResult& processor : result.processors) {
    if (processor.utilization > best.fraction) {
      best = {"processor " + processor.name, processor.utilization};
    }
  }
  for (const LinkResult& link : result.links) {
    if (link.busy_fraction > best.fraction) best = {"link " + link.name, link.busy_fraction};
  }
  return best;
}

std::string format_cycles(double cycles) {
  const double tenths = std::round(cycles * 10.0);
  if (!std::isfinite(tenths)) return "-";
  const auto whole = static_cast<std::int64_t>(tenths / 10.0);
  const auto rest = static_cast<std::int64_t>(tenths) % 10;
  const std::string text = workloads::format_count(whole);
  return rest == 0 ? text : fmt::format("{}.{}", text, rest);
}

std::string format_ratio(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-";
}

std::string format_rate(double per_second) {
  const std::string text = format_cycles(per_second);
  return text == "-" || text.find('.') != std::string::npos ? text : text + ".0";
}

std::string layer_range(const std::vector<std::string>& layers) {
  if (layers.empty()) return "-";
  if (layers.size() == 1) return layers.front();
  return fmt::format("{}..{}", layers.front(), layers.back());
}

}  // namespace layerpipe::sim
