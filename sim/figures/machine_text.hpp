#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace layerpipe::figures {

/// Of the options in force: "32x32", or "unknown size" where the platform gives none.
[[nodiscard]] std::string array_text(const nlohmann::ordered_json& options);

/// A line on what the options in force say instead of the platform, e.g. "Instead of the
/// platform's: dataflow output-stationary, link bandwidth 8.0 GB/s"; empty if there is nothing.
[[nodiscard]] std::string overrides_line(const nlohmann::ordered_json& options);

}  // namespace layerpipe::figures
