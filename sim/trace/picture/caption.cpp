#include "sim/trace/picture/caption.hpp"

#include <fmt/format.h>

#include "sim/figures/figures.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {

Caption caption(const Result& result) {
  const SteadyState& steady = result.steady_state;
  return {fmt::format("{}, batch {}, on {}: {} of {}", workloads::printable(result.workload),
                      workloads::format_count(result.batch), workloads::printable(result.platform),
                      workloads::format_count(result.processors_given, "processor", "processors"),
                      array_and_clock(result)),
          workloads::printable(schedule_title(result.schedule, result.options)),
          fmt::format("period {} cycles ({}){}, {} samples/s", format_cycles(steady.period_cycles),
                      workloads::format_seconds(steady.period_seconds),
                      steady.exact ? "" : ", not exact", format_rate(steady.samples_per_second))};
}

std::string layers_note(const Result& result, std::size_t processor) {
  if (processor >= result.processors.size()) return {};
  return workloads::printable(layer_range(result.processors[processor].layers));
}

}  // namespace layerpipe::sim
