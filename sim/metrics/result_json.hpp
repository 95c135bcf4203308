#pragma once

#include <nlohmann/json.hpp>

#include "sim/metrics/result.hpp"

namespace layerpipe::sim {

/// The documented JSON form of a result (docs/formats/result.md), keys in the documented order. As
/// text, a number that is not finite (a rate over a period of 0 cycles) is null.
[[nodiscard]] nlohmann::ordered_json to_json(const Result& result);

/// The result that `json` was made from; NaN where a number is null. Throws InternalError if a key
/// is missing or its value has another type.
[[nodiscard]] Result result_from_json(const nlohmann::ordered_json& json);

}  // namespace layerpipe::sim
