#include "sim/sweep/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/sweep/rows.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::sweep {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 30;

/// The rows of all points, as far as they have been seen.
class Rows {
 public:
  explicit Rows(const std::vector<Point>& points) : points_(points), rows_(points.size()) {}

  void add(std::string_view row, const SourcePosition& position) {
    const std::optional<std::size_t> number = point_of(row);
    if (!number || *number >= points_.size() ||
        !row.starts_with(point_fields(points_[*number]) + ',')) {
      throw InputError(position, "is no row of this sweep (expected results of the same spec)");
    }
    std::string& place = rows_[*number];
    if (!place.empty() && place != row) {
      throw InputError(position, fmt::format("other results of point {} than before (expected the "
                                             "same, or each point once)",
                                             *number));
    }
    place = row;
  }

  [[nodiscard]] std::string text() const {
    const auto missing = std::ranges::count(rows_, "");
    if (missing > 0) {
      throw InputError(
          fmt::format("{} of {} points have no row, point {} is the first (expected "
                      "the results of all shares)",
                      missing, rows_.size(), std::ranges::find(rows_, "") - rows_.begin()));
    }
    std::string text = header_of_rows() + '\n';
    for (const std::string& row : rows_) text += row + '\n';
    return text;
  }

 private:
  const std::vector<Point>& points_;
  std::vector<std::string> rows_;
};

void add_text(std::string_view text, const std::string& file, Rows& rows) {
  SourcePosition position{file, 0, 0};
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = text.substr(begin, end - begin);
    ++position.line;
    if (position.line > 1) {
      rows.add(line, position);
    } else if (line != header_of_rows()) {
      throw InputError(position, "is not the header of a sweep's results");
    }
  }
  if (begin != text.size() || text.empty()) {
    throw InputError({file, position.line + 1, 0}, "ends within a line (expected a whole file)");
  }
}

}  // namespace

MergedResults merge(const std::vector<Point>& points, const std::vector<std::string>& files) {
  Rows rows(points);
  MergedResults merged;
  for (const std::string& file : files) {
    const std::string text = base::read_file(file, largest_file);
    add_text(text, file, rows);
    merged.files.push_back(process::input_file_of(file, text));
  }
  merged.text = rows.text();
  return merged;
}

}  // namespace layerpipe::sweep
