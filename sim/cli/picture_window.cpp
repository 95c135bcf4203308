#include "sim/cli/picture_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/cli/complain.hpp"
#include "sim/run/plan.hpp"
#include "sim/trace/picture/chart.hpp"
#include "sim/trace/trace_formats.hpp"

namespace layerpipe::cli {
namespace {

/// The schedule of most operations: one picture has room for all.
contract::Schedule largest_schedule(const Inputs& inputs,
                                    const std::vector<ScheduleChoice>& choices) {
  contract::Schedule largest;
  for (const ScheduleChoice& choice : choices) {
    contract::Schedule schedule =
        run::plan(choice.scheduler, choice.profile(inputs), inputs.machine, choice.options)
            .schedule;
    if (schedule.ops.size() > largest.ops.size()) largest = std::move(schedule);
  }
  return largest;
}

}  // namespace

std::optional<trace::TraceWindow> picture_window(const TraceOptions& options, const Inputs& inputs,
                                                 const std::vector<ScheduleChoice>& choices,
                                                 std::int64_t iterations) {
  if (std::ranges::none_of(options.files, trace::is_picture)) return options.window;
  const contract::Schedule schedule = largest_schedule(inputs, choices);
  const std::int64_t room = trace::most_operations_in_chart / std::ssize(schedule.ops);
  std::optional<trace::TraceWindow> window = options.window;
  if (!window && room > 0 && iterations > room) {
    constexpr std::int64_t shown = 4;
    constexpr std::int64_t full = 100;  ///< minibatches after which a pipeline is
    const std::int64_t first = std::min(iterations / 2, full);
    const std::int64_t count =
        std::min(std::clamp<std::int64_t>(room / 2, 1, shown), iterations - first);
    window = {first, first + count - 1};
    complain(
        fmt::format("a picture has no room for the whole run: it shows minibatches {} to {} "
                    "(--trace-iterations A:B shows others)",
                    window->first, window->last));
  }
  trace::require_room_in_chart(schedule, least_minibatches_shown(window, iterations, false));
  return window;
}

}  // namespace layerpipe::cli
