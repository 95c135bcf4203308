#include "sim/sweep/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "sim/process/output_file.hpp"
#include "sim/process/run_jobs.hpp"
#include "sim/process/sidecar.hpp"
#include "sim/sweep/rows.hpp"
#include "sim/sweep/run_points.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::sweep {
namespace {

/// Points for which one process loads the platform: many, so that it costs little, but few enough
/// that no process is left alone with much of the work in the end.
constexpr std::size_t longest_chunk = 8;

std::vector<Point> without_rows(const std::vector<Point>& points, const Journal& journal) {
  std::vector<Point> result;
  std::ranges::copy_if(points, std::back_inserter(result),
                       [&](const Point& point) { return !journal.rows().contains(point.number); });
  return result;
}

/// The point of `points`, whose numbers increase, that `row` is of.
const Point& point_of_row(const std::vector<Point>& points, const std::string& row) {
  const std::optional<std::size_t> number = point_of(row);
  const auto point = std::ranges::lower_bound(points, number.value_or(0), {}, &Point::number);
  if (!number || point == points.end() || point->number != *number) {
    throw InternalError("a row of no point of the sweep: " + row);
  }
  return *point;
}

}  // namespace

std::string journal_file(const std::string& output) { return output + ".journal"; }

SweepOutcome sweep(const SweepRequest& request) {
  process::OutputFile output(request.output);
  process::Sidecar sidecar(request.output);
  Journal journal(journal_file(request.output), request.title, request.mode);
  const std::vector<Chunk> chunks =
      chunks_by_platform(without_rows(request.points, journal), longest_chunk);
  std::map<std::size_t, std::string> failures;  // by the number of their point
  const auto take = [&](const Point& point, const std::string& row) {
    if (is_failure(point, row)) {
      failures.emplace(point.number, row);
    } else {
      journal.add(row);
    }
    request.progress(journal.rows().size() + failures.size());
  };
  const auto has_row = [&](const Point& point) {
    return journal.rows().contains(point.number) || failures.contains(point.number);
  };
  request.progress(journal.rows().size());
  SweepOutcome outcome;
  outcome.signal = process::run_jobs(
      {.count = chunks.size(),
       .at_once = request.at_once,
       .work = [&](std::size_t i, const auto& send) { run_points(chunks[i], send); },
       .receive = [&](const std::string& row) { take(point_of_row(request.points, row), row); },
       .lose =
           [&](std::size_t i, const std::string& why) {
             for (const Point& point : chunks[i]) {
               if (!has_row(point)) take(point, row_of_failure(point, why));
             }
           }});
  outcome.finished = journal.rows().size();
  if (outcome.signal != 0) return outcome;

  outcome.failed = failures.size();
  output.stream() << header_of_rows() << '\n';
  for (const Point& point : request.points) {
    const auto failure = failures.find(point.number);
    const std::string& row =
        failure == failures.end() ? journal.rows().at(point.number) : failure->second;
    output.stream() << row << '\n';
    if (!has_result(point, row)) ++outcome.without_result;
  }
  sidecar.commit(output, request.provenance);
  if (failures.empty()) journal.remove();
  return outcome;
}

}  // namespace layerpipe::sweep
