#include "sim/cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

double parse_alpha(std::string_view text) {
  constexpr double smallest = 1.000001;  // the walks of Algorithm 1 are to come to an end
  constexpr double largest = 10.0;
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const bool is_number = status == std::errc{} && stop == end && is_digit(text.front());
  if (!is_number || !(value >= smallest && value <= largest)) {
    throw InputError(fmt::format("{} is no such factor (expected {:.6f} to {}, such as 1.001)",
                                 base::in_quotes(text), smallest, largest));
  }
  return value;
}

std::int64_t parse_size(std::string_view text) {
  return are_digits(text) ? base::parse_whole_number(text, {}) : base::parse_bytes(text);
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t comma; (comma = text.find(',')) != std::string_view::npos;) {
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.push_back(text);
  return parts;
}

placement::Delays parse_delays(std::string_view text) {
  using placement::DelayRule;
  for (const DelayRule rule : {DelayRule::twice_stages_after, DelayRule::stages_after}) {
    if (text == to_string(rule)) return rule;
  }
  placement::Staleness staleness;
  for (const std::string_view part : split_at_commas(text)) {
    if (!are_digits(part) && !part.starts_with('-')) {
      throw InputError(fmt::format(
          "{} is no staleness (expected 2S, S, auto, a whole number for all layers, or one for "
          "each layer with weights, such as 4,2,0)",
          base::in_quotes(part)));
    }
    staleness.push_back(base::parse_whole_number(part, {0, placement::max_staleness}));
  }
  return staleness;
}

std::vector<std::int64_t> parse_stages(std::string_view text) {
  constexpr base::Range layers{1, 1'000'000};
  std::vector<std::int64_t> result;
  for (const std::string_view part : split_at_commas(text)) {
    result.push_back(base::parse_whole_number(part, layers));
  }
  return result;
}

trace::TraceWindow parse_window(std::string_view text) {
  constexpr base::Range minibatch{0, 1'000'000'000};
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const trace::TraceWindow window{base::parse_whole_number(text.substr(0, colon), minibatch),
                                    base::parse_whole_number(text.substr(colon + 1), minibatch)};
    if (window.first <= window.last) return window;
  }
  throw InputError(
      fmt::format("{} is no range of minibatches (expected the first and the last, such as 10:12)",
                  base::in_quotes(text)));
}

CLI::Option* add_value(CLI::App& command, const std::string& name, const std::string& placeholder,
                       const std::string& description,
                       std::function<void(const std::string&)> parse) {
  const std::function<void(const std::string&)> checked =
      [name, parse = std::move(parse)](const std::string& text) {
        try {
          parse(text);
        } catch (const InputError& error) {
          throw UsageError(fmt::format("{}: {}", name, error.what()));
        }
      };
  return command.add_option_function<std::string>(name, checked, description)
      ->type_name(placeholder);
}

}  // namespace layerpipe::cli
