#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/metrics/result.hpp"
#include "sim/sweep/points.hpp"

/// Rows of a sweep's results, as CSV without an end of line (format: docs/formats/sweep.md). A row
/// begins with the number of its point; none contains an end of line.
namespace layerpipe::sweep {

/// Names of the columns: of the point, then of what came of it.
[[nodiscard]] std::string header_of_points();
[[nodiscard]] std::string header_of_rows();

/// The fields of the point alone.
[[nodiscard]] std::string point_fields(const Point& point);

[[nodiscard]] std::string row(const Point& point, const metrics::Result& result);

/// The row of a point that cannot be done: `status` is a word, `message` says why.
[[nodiscard]] std::string row_without_result(const Point& point, std::string_view status,
                                             std::string_view message);

/// The row of a point that was tried and came to no end, because its process died or the system had
/// nothing left for it: tried again, it may.
[[nodiscard]] std::string row_of_failure(const Point& point, std::string_view message);

/// Whether `row` is one of row_of_failure.
[[nodiscard]] bool is_failure(const Point& point, std::string_view row);

/// The number that `row` begins with; none if it begins with anything else.
[[nodiscard]] std::optional<std::size_t> point_of(std::string_view row);

/// Whether `row` tells of a result.
[[nodiscard]] bool has_result(const Point& point, std::string_view row);

}  // namespace layerpipe::sweep
