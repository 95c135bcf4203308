#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scheduler/contract/lent_parts.hpp"

namespace layerpipe::report {

/// How reports show what it costs to divide an input gradient.

[[nodiscard]] nlohmann::ordered_json division_json(const contract::Division& division);

/// What both parts take beyond the whole, in percent of it: "12.5".
[[nodiscard]] std::string extra_percent(const contract::Division& division);

/// "No use in splitting conv2: ...", with a line feed.
[[nodiscard]] std::string obstacle_line(const std::string& layer, const std::string& obstacle);

}  // namespace layerpipe::report
