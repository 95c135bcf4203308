#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/systolic_array.hpp"
#include "scheduler/delays.hpp"
#include "sim/trace/trace_recorder.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

/// Values of options, strictly parsed: all functions throw InputError, without a position, if the
/// text is not as expected.
namespace layerpipe::sim::cli {

/// "32x32": rows and columns.
[[nodiscard]] platforms::ArraySize parse_array(std::string_view text);

/// A decimal number above 1, at most 10: "1.001".
[[nodiscard]] double parse_alpha(std::string_view text);

/// A size with unit, or plain digits for bytes.
[[nodiscard]] std::int64_t parse_size(std::string_view text);

/// "2S", "S", or a whole number for each layer: "4,2,0".
[[nodiscard]] scheduler::Delays parse_delays(std::string_view text);

/// At least one part; parts may be empty.
[[nodiscard]] std::vector<std::string_view> split_at_commas(std::string_view text);

/// "10:12": the first and the last minibatch of a window, which are whole numbers in order.
[[nodiscard]] TraceWindow parse_window(std::string_view text);

/// The value in `values` whose `to_string` is `text`.
template <typename Values, typename Name>
[[nodiscard]] auto parse_name(std::string_view text, const Values& values, Name name) {
  std::vector<std::string_view> names;
  for (const auto& value : values) {
    names.push_back(name(value));
    if (names.back() == text) return value;
  }
  throw InputError(fmt::format("unknown name {} {}", workloads::in_quotes(text),
                               workloads::suggestion(text, names)));
}

/// Declares the option `name` with one value, shown as `placeholder` in the help. `parse` takes its
/// text; what it throws as InputError becomes a UsageError that names the option.
CLI::Option* add_value(CLI::App& command, const std::string& name, const std::string& placeholder,
                       const std::string& description,
                       std::function<void(const std::string&)> parse);

}  // namespace layerpipe::sim::cli
