#include "sim/report/period_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/figures/figures.hpp"
#include "sim/report/verdict.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using base::format_count;

bool is_equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); }

std::string periods(const run::Theory& theory, const metrics::Result& simulated) {
  const auto kind = [](bool is_exact) { return is_exact ? "" : " (mean)"; };
  const metrics::Period& recurrence = theory.recurrence;
  const metrics::SteadyState& steady = simulated.steady_state;
  base::Table table({{"Period", "", base::Align::left}, {"", "cycles"}});
  table.add_row({"bound: slowest processor", format_count(theory.slowest_processor_cycles)});
  table.add_row({"bound: critical loop", figures::format_cycles(critical_loop_cycles(theory))});
  table.add_row({fmt::format("recurrence{}", kind(recurrence.exact)),
                 figures::format_cycles(recurrence.cycles_per_minibatch)});
  table.add_row({fmt::format("simulation{}", kind(steady.exact)),
                 figures::format_cycles(steady.period_cycles)});
  return table.text();
}

/// "the slowest processor (p0)" or "the critical loop".
std::string binding_bound(const run::Theory& theory, const metrics::Result& simulated) {
  if (critical_loop_cycles(theory) > static_cast<double>(theory.slowest_processor_cycles)) {
    return "the critical loop";
  }
  const auto slowest = std::ranges::max_element(
      simulated.processors, {}, &metrics::ProcessorResult::busy_cycles_per_minibatch);
  return fmt::format("the slowest processor ({})", base::printable(slowest->name));
}

/// Which processor or channel holds up the run.
std::string who_binds(const metrics::Result& simulated) {
  std::string text = fmt::format("In the run it is bound by {}.\n", bound_by(simulated));
  const auto busiest =
      std::ranges::max_element(simulated.channels, {}, &metrics::ChannelResult::busy_fraction);
  const bool is_told = figures::busiest(simulated).name.starts_with("channel");
  if (is_told || busiest == simulated.channels.end()) return text;
  return text + fmt::format("The busiest channel, from {} to {}, is busy {} of the period.\n",
                            base::printable(busiest->from), base::printable(busiest->to),
                            base::format_percent(busiest->busy_fraction));
}

/// What neither bound knows.
std::string beyond_bounds(double bound, const run::Theory& theory,
                          const metrics::Result& simulated) {
  const auto& channel = theory.busiest_channel;
  if (!channel || static_cast<double>(channel->cycles) <= bound) {
    return "Neither bound knows that operations wait for their turn on a processor, and transfers "
           "for theirs on a channel.\n";
  }
  return fmt::format(
      "The channel from {} to {} takes {} cycles for all that it sends for a minibatch, more than "
      "either.\n",
      base::printable(simulated.processors.at(channel->source).name),
      base::printable(simulated.processors.at(channel->destination).name),
      format_count(channel->cycles));
}

std::string agreement(const run::Theory& theory, const metrics::Result& simulated) {
  if (is_equal(simulated.steady_state.period_cycles, theory.recurrence.cycles_per_minibatch)) {
    return "Recurrence and simulation agree.\n";
  }
  return theory.has_shared_links
             ? "Recurrence and simulation differ: channels share links, and only the simulation "
               "shares their bandwidth.\n"
             : "Recurrence and simulation differ: one of them has not settled (more "
               "--iterations).\n";
}

std::string explanation(const run::Theory& theory, const metrics::Result& simulated) {
  const double period = simulated.steady_state.period_cycles;
  const double bound =
      std::max(static_cast<double>(theory.slowest_processor_cycles), critical_loop_cycles(theory));
  const bool is_bound = is_equal(period, bound);
  const bool is_above = !is_bound && period > bound;
  std::string text;
  if (is_bound) {
    text = fmt::format("The simulated period is the bound: {} binds.\n",
                       binding_bound(theory, simulated));
  } else if (is_above) {
    text = fmt::format("The simulated period is {:.1f} % above the larger bound, that of {}.\n{}",
                       100.0 * (period / bound - 1.0), binding_bound(theory, simulated),
                       beyond_bounds(bound, theory, simulated));
  } else {
    text = fmt::format(
        "The simulated period is below the bound of {}: the run is too short to settle (more "
        "--iterations).\n",
        binding_bound(theory, simulated));
  }
  const bool is_exact = simulated.steady_state.exact;
  if (!is_exact) text += fmt::format("It is {}.\n", inexact_note(simulated));
  if (is_above || !is_exact) text += who_binds(simulated);
  return text + agreement(theory, simulated);
}

}  // namespace

double critical_loop_cycles(const run::Theory& theory) {
  return theory.critical_loop ? theory.critical_loop->cycles_per_delay() : 0.0;
}

std::string period_answers(const run::Theory& theory, const metrics::Result& simulated) {
  return fmt::format("{}\n{}", periods(theory, simulated), explanation(theory, simulated));
}

}  // namespace layerpipe::report
