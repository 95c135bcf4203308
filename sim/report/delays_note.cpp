#include "sim/report/delays_note.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "sim/report/figures.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {

std::string delays_note(const nlohmann::ordered_json& options) {
  const auto search = options.find("auto_delays");
  if (search == options.end()) return {};
  const auto list = [](const nlohmann::ordered_json& delays) {
    return fmt::format("{}", fmt::join(delays.get<std::vector<std::int64_t>>(), ","));
  };
  std::string text = fmt::format("Delays found: {}; least by the cycle ratio alone: {}\n",
                                 list(options.at("delays")), list(search->at("ratio_delays")));
  if (!search->at("reaches_bound")) {
    text += fmt::format(
        "Even with 2S the period of the recurrence, in the minibatches searched, is {} cycles, "
        "above the slowest processor's {}.\n",
        format_cycles(search->at("period_cycles_with_2S")),
        workloads::format_count(search->at("slowest_processor_cycles")));
  }
  if (!search->at("exact")) {
    text +=
        "The search compared means of short runs, not exact periods: compare long ones "
        "(--iterations) with --delays 2S.\n";
  }
  if (search->at("has_shared_links")) {
    text +=
        "Channels share links, which the search does not know: compare the simulated period with "
        "that of 2S.\n";
  }
  return text;
}

}  // namespace layerpipe::sim
