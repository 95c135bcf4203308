#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

namespace layerpipe::sim {

/// Lines of text that are written in order of their dates, and among equal dates in the order in
/// which they were added. Keeps those that others may still come before.
class DatedLines {
 public:
  explicit DatedLines(std::ostream& stream) : stream_(stream) {}

  /// As fmt::format; the line feed is added.
  template <typename... Arguments>
  void add(std::int64_t date, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const std::size_t begin = text_.size();
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_.push_back('\n');
    lines_.push_back({date, begin, text_.size() - begin});
  }

  /// Writes all lines up to `date`: none that is added later has an earlier one.
  void write_until(std::int64_t date);

  /// Writes the rest.
  void write_all();

 private:
  struct Line {
    std::int64_t date = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::ostream& stream_;
  fmt::memory_buffer text_;
  std::vector<Line> lines_;
};

}  // namespace layerpipe::sim
