#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "platforms/array/systolic_array.hpp"
#include "platforms/machine/machine.hpp"
#include "platforms/machine/topology.hpp"
#include "scheduler/scheduler.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

/// Values that command lines and the specs of sweeps have in common, strictly parsed: all functions
/// throw InputError, without a position, if the text is not as expected.
namespace layerpipe::options {

inline constexpr base::Range processor_range{1, static_cast<std::int64_t>(machine::max_processors)};
inline constexpr base::Range batch_range{1, 1'000'000'000};
inline constexpr base::Range iteration_range{1, 1'000'000'000};

/// "32x32": rows and columns.
[[nodiscard]] array::ArraySize parse_array(std::string_view text);

/// By a name, or by its short form.
[[nodiscard]] array::Dataflow parse_dataflow(std::string_view text);
[[nodiscard]] network::InputGradientMapping parse_input_gradient(std::string_view text);
[[nodiscard]] machine::Topology parse_topology(std::string_view text);
[[nodiscard]] costs::Split parse_split(std::string_view text);
[[nodiscard]] const scheduler::Scheduler* parse_scheduler(std::string_view text);

/// A decimal number above 0, below 1: "0.001".
[[nodiscard]] double parse_tolerance(std::string_view text);

/// "steady" or "iterations": whether a run may end when its steady state is known.
[[nodiscard]] bool parse_until_steady(std::string_view text);

/// The value in `values` whose `to_string` is `text`.
template <typename Values, typename Name>
[[nodiscard]] auto parse_name(std::string_view text, const Values& values, Name name) {
  std::vector<std::string_view> names;
  for (const auto& value : values) {
    names.push_back(name(value));
    if (names.back() == text) return value;
  }
  throw InputError(
      fmt::format("unknown name {} {}", base::in_quotes(text), base::suggestion(text, names)));
}

}  // namespace layerpipe::options
