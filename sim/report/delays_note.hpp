#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace layerpipe::report {

/// Which delays of a schedule were searched for and found, by the `options` in force, and whether
/// 2 S(l) would have reached the bound: lines of text. Where nothing was searched for, the list
/// that `delays_text` has shortened, if it has.
[[nodiscard]] std::string delays_note(const std::string& schedule,
                                      const nlohmann::ordered_json& options);

}  // namespace layerpipe::report
