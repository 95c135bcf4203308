#pragma once

#include <fmt/compile.h>

#include <cstdint>
#include <iterator>
#include <ostream>
#include <vector>

namespace layerpipe::trace {

/// Lines of text that are written in order of their dates, and among equal dates in the order in
/// which they were added. Keeps those that others may still come before.
class DatedLines {
 public:
  explicit DatedLines(std::ostream& stream) : stream_(stream) {}

  /// As fmt::format, with a format that FMT_COMPILE has had parsed; the line feed is added.
  template <typename Format, typename... Arguments>
  void add(std::int64_t date, const Format& format, const Arguments&... arguments) {
    const std::size_t begin = text_.size();
    fmt::format_to(std::back_inserter(text_), format, arguments...);
    text_.push_back('\n');
    lines_.push_back({date, begin, text_.size() - begin});
  }

  /// No line that is added later has a date before this one. Writes those up to it, now or, as long
  /// as that would leave most of what is kept, later.
  void write_until(std::int64_t date);

  /// Writes the rest.
  void write_all();

 private:
  void write(std::int64_t date);

  struct Line {
    std::int64_t date = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::ostream& stream_;
  fmt::memory_buffer text_;
  std::vector<Line> lines_;
  std::size_t kept_ = 0;  ///< lines, when some were last written
};

}  // namespace layerpipe::trace
