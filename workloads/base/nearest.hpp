#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace layerpipe::base {

/// The candidate that a user who wrote `word` probably meant: the one with the fewest single
/// letters to change (Levenshtein), or one that `word` is the beginning of. Case does not count.
/// None if all are too far away. Among equals the first.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

/// What a message about the unknown `word` ends with: "(nearest: kernel_size)" or, if nothing is
/// near, "(expected type, name or bias)".
[[nodiscard]] std::string suggestion(std::string_view word,
                                     std::span<const std::string_view> candidates);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string one_of(std::span<const std::string_view> candidates);

}  // namespace layerpipe::base
