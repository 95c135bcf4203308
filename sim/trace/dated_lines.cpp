#include "sim/trace/dated_lines.hpp"

#include <algorithm>
#include <limits>

namespace layerpipe::trace {

void DatedLines::write_until(std::int64_t date) {
  if (lines_.size() >= 2 * kept_) write(date);
}

void DatedLines::write_all() { write(std::numeric_limits<std::int64_t>::max()); }

void DatedLines::write(std::int64_t date) {
  std::ranges::stable_sort(lines_, {}, &Line::date);
  fmt::memory_buffer rest;
  std::size_t kept = 0;
  for (const Line& line : lines_) {
    const char* text = text_.data() + line.begin;
    if (line.date <= date) {
      stream_.write(text, static_cast<std::streamsize>(line.size));
    } else {
      lines_[kept++] = {line.date, rest.size(), line.size};
      rest.append(text, text + line.size);
    }
  }
  lines_.resize(kept);
  text_ = std::move(rest);
  kept_ = kept;
}

}  // namespace layerpipe::trace
