#pragma once

#include <nlohmann/json.hpp>

#include "sim/metrics/result.hpp"

namespace layerpipe::metrics {

/// The documented JSON form of a result (docs/formats/result.md), keys in the documented order.
[[nodiscard]] nlohmann::ordered_json to_json(const Result& result);

[[nodiscard]] nlohmann::ordered_json to_json(const Communication& communication);

/// The result that `json` was made from. Throws InternalError if a key
/// is missing or its value has another type.
[[nodiscard]] Result result_from_json(const nlohmann::ordered_json& json);

}  // namespace layerpipe::metrics
