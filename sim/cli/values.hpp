#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "scheduler/placement/delays.hpp"
#include "sim/options/values.hpp"
#include "sim/trace/trace_recorder.hpp"

/// Values of options, strictly parsed: all functions throw InputError, without a position, if the
/// text is not as expected.
namespace layerpipe::cli {

/// A decimal number above 1, at most 10: "1.001".
[[nodiscard]] double parse_alpha(std::string_view text);

/// A size with unit, or plain digits for bytes.
[[nodiscard]] std::int64_t parse_size(std::string_view text);

/// "2S", "S", or a whole number for each layer: "4,2,0". A single number is a list of one.
[[nodiscard]] placement::Delays parse_delays(std::string_view text);

/// "7,5,4": whole numbers of layers, from 1.
[[nodiscard]] std::vector<std::int64_t> parse_stages(std::string_view text);

/// At least one part; parts may be empty.
[[nodiscard]] std::vector<std::string_view> split_at_commas(std::string_view text);

/// "10:12": the first and the last minibatch of a window, which are whole numbers in order.
[[nodiscard]] trace::TraceWindow parse_window(std::string_view text);

/// Declares the option `name` with one value, shown as `placeholder` in the help. `parse` takes its
/// text; what it throws as InputError becomes a UsageError that names the option.
CLI::Option* add_value(CLI::App& command, const std::string& name, const std::string& placeholder,
                       const std::string& description,
                       std::function<void(const std::string&)> parse);

}  // namespace layerpipe::cli
