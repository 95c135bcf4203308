#include "workloads/base/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <vector>

namespace layerpipe::base {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Levenshtein's distance, row by row of its table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  constexpr std::size_t longest_typo = 64;
  constexpr std::size_t longest_candidate = 2 * longest_typo;
  if (word.size() > longest_typo) return std::nullopt;
  const std::string written = lower(word);
  std::optional<std::string_view> best;
  std::size_t best_distance = std::min(std::max<std::size_t>(2, word.size() / 3) + 1, word.size());
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest_candidate) continue;
    const std::string known = lower(candidate);
    const bool is_beginning = written.size() >= 3 && known.starts_with(written);
    const std::size_t distance = is_beginning ? 1 : edit_distance(written, known);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const auto near = nearest(word, candidates);
  if (near) return fmt::format("(nearest: {})", *near);
  return fmt::format("(expected {})", one_of(candidates));
}

std::string one_of(std::span<const std::string_view> candidates) {
  std::string result;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i > 0) result += i + 1 == candidates.size() ? " or " : ", ";
    result += candidates[i];
  }
  return result;
}

}  // namespace layerpipe::base
