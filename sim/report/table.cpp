#include "sim/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/base/text.hpp"

namespace layerpipe::sim {
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

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = std::max(display_width(columns_[i].title), display_width(columns_[i].unit));
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    result.push_back(width);
  }
  return result;
}

std::string Table::text() const {
  const std::vector<std::size_t> width = widths();
  std::string result;
  const auto append = [&](const auto& cell_of_column) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      cells.push_back(padded(cell_of_column(i), width[i], columns_[i].align));
    }
    append_line(result, cells);
  };
  append([&](std::size_t i) { return columns_[i].title; });
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& c) { return !c.unit.empty(); })) {
    append([&](std::size_t i) { return columns_[i].unit; });
  }
  append([&](std::size_t i) { return std::string(width[i], '-'); });
  for (const auto& row : rows_) append([&](std::size_t i) { return row[i]; });
  return result;
}

std::size_t display_width(std::string_view text) {
  const std::size_t padded_to = text.size();
  return text.size() + padded_to - fmt::formatted_size("{:<{}}", text, padded_to);
}

std::string printable(std::string_view text) {
  std::string result(text);
  if (workloads::is_printable_line(text)) return result;
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

}  // namespace layerpipe::sim
