#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace layerpipe::base {

enum class Align { left, right };

/// A table for people: columns line up in a terminal, with names in any script. Titles over
/// numbers are broken between words where no number of the column is as wide.
class Table {
 public:
  struct Column {
    std::string title;
    std::string unit;  ///< stands below the title; may be empty
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Precondition: one cell per column. Cells are shown as `printable` makes them.
  void add_row(std::vector<std::string> cells);

  /// Titles, units if there are any, a line of dashes, rows. Every line ends with a line feed and
  /// none with a space.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::size_t width(std::size_t column) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns of a terminal that `text` takes: 2 for wide characters, by {fmt}'s estimate.
/// Precondition: `text` is printable UTF-8.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace layerpipe::base
