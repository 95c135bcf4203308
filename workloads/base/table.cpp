#include "workloads/base/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "workloads/base/text.hpp"

namespace layerpipe::base {
namespace {

std::string padded(const std::string& cell, std::size_t width, Align align) {
  return align == Align::left ? fmt::format("{:<{}}", cell, width)
                              : fmt::format("{:>{}}", cell, width);
}

/// Appends the cells in their columns, two spaces apart.
void append_line(std::string& text, const std::vector<std::string>& padded_cells) {
  std::string line = fmt::format("{}", fmt::join(padded_cells, "  "));
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

using Lines = std::vector<std::string>;

Lines words(const std::string& text) {
  std::istringstream stream(text);
  return Lines(std::istream_iterator<std::string>(stream), {});
}

/// Broken between words into as few lines of at most `width` as that takes.
Lines broken(const std::string& text, std::size_t width) {
  Lines lines;
  for (const std::string& word : words(text)) {
    const bool fits =
        !lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width;
    if (fits) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = base::printable(cell);
  rows_.push_back(std::move(cells));
}

std::size_t Table::width(std::size_t column) const {
  const auto& [title, unit, align] = columns_[column];
  std::size_t widest = display_width(unit);
  for (const auto& row : rows_) widest = std::max(widest, display_width(row[column]));
  if (align == Align::left) return std::max(widest, display_width(title));
  for (const std::string& word : words(title)) widest = std::max(widest, display_width(word));
  return widest;
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<Lines> titles;
  std::size_t title_lines = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(width(i));
    titles.push_back(broken(columns_[i].title, widths[i]));
    title_lines = std::max(title_lines, titles[i].size());
  }
  for (Lines& title : titles) title.insert(title.begin(), title_lines - title.size(), "");

  std::string result;
  const auto append = [&](const auto& cell_of_column) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      cells.push_back(padded(cell_of_column(i), widths[i], columns_[i].align));
    }
    append_line(result, cells);
  };
  for (std::size_t line = 0; line < title_lines; ++line) {
    append([&](std::size_t i) { return titles[i][line]; });
  }
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& c) { return !c.unit.empty(); })) {
    append([&](std::size_t i) { return columns_[i].unit; });
  }
  append([&](std::size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows_) append([&](std::size_t i) { return row[i]; });
  return result;
}

std::size_t display_width(std::string_view text) {
  const std::size_t padded_to = text.size();
  return text.size() + padded_to - fmt::formatted_size("{:<{}}", text, padded_to);
}

}  // namespace layerpipe::base
