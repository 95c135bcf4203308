#include "sim/trace/picture/caption.hpp"

#include <fmt/format.h>

#include "sim/figures/figures.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::trace {

Caption caption(const metrics::Result& result) {
  const metrics::SteadyState& steady = result.steady_state;
  return {fmt::format("{}, batch {}, on {}: {} of {}", base::printable(result.workload),
                      base::format_count(result.batch), base::printable(result.platform),
                      base::format_count(result.processors_given, "processor", "processors"),
                      figures::array_and_clock(result)),
          base::printable(figures::schedule_title(result.schedule, result.options)),
          fmt::format(
              "period {} cycles ({}){}, {} samples/s", figures::format_cycles(steady.period_cycles),
              base::format_seconds(steady.period_seconds), steady.exact ? "" : ", not exact",
              figures::format_rate(steady.samples_per_second))};
}

std::string layers_note(const metrics::Result& result, std::size_t processor) {
  if (processor >= result.processors.size()) return {};
  return base::printable(figures::layer_ranges(result, result.processors[processor]));
}

}  // namespace layerpipe::trace
