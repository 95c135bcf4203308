#include "sim/report/delays_note.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "sim/figures/figures.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using Json = nlohmann::ordered_json;

std::string judgement(const Json& simulated) {
  const auto raised = simulated.at("raised").get<std::int64_t>();
  if (raised == 0) return "Simulated, the period is as good as with 2S.\n";
  return fmt::format(
      "Simulated, the period was longer than with 2S until all delays were raised by {}, up to "
      "2S.\n",
      raised);
}

/// The list that titles and labels show the ends of alone.
std::string shortened_list(const std::string& schedule, const Json& options) {
  const Json delays = options.value("delays", Json(nullptr));
  if (!delays.is_array()) return {};
  const auto all = delays.get<std::vector<std::int64_t>>();
  const std::string text = figures::delays_text(all);
  if (text.find("...") == std::string::npos) return {};
  return fmt::format("Delays {} of {}: {}\n", text, schedule, fmt::join(all, ","));
}

}  // namespace

std::string delays_note(const std::string& schedule, const Json& options) {
  const auto list = [](const Json& delays) {
    return fmt::format("{}", fmt::join(delays.get<std::vector<std::int64_t>>(), ","));
  };
  const auto search = options.find("auto_delays");
  if (search == options.end()) return shortened_list(schedule, options);
  std::string text =
      fmt::format("Delays found for {}: {}; least by the cycle ratio alone: {}\n", schedule,
                  list(options.at("delays")), list(search->at("ratio_delays")));
  const Json& simulated = search->at("simulated");
  if (!simulated.is_null()) text += judgement(simulated);
  if (!search->at("reaches_bound")) {
    text += fmt::format(
        "Even with 2S the period, in the minibatches searched, is {} cycles, above "
        "the slowest processor's {}.\n",
        figures::format_cycles(
            (simulated.is_null() ? *search : simulated).at("period_cycles_with_2S")),
        base::format_count(search->at("slowest_processor_cycles")));
  }
  if (!search->at("exact")) {
    text +=
        "The search compared means of short runs, not exact periods: compare long ones "
        "(--iterations) with --delays 2S.\n";
  }
  return text;
}

}  // namespace layerpipe::report
