#include "sim/sweep/sweep.hpp"

#include <algorithm>
#include <iterator>

#include "sim/output_file.hpp"
#include "sim/sidecar.hpp"
#include "sim/sweep/rows.hpp"
#include "sim/sweep/run_jobs.hpp"
#include "sim/sweep/run_points.hpp"

namespace layerpipe::sim {
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

}  // namespace

std::string journal_file(const std::string& output) { return output + ".journal"; }

SweepOutcome sweep(const SweepRequest& request) {
  OutputFile output(request.output);
  Sidecar sidecar(request.output);
  Journal journal(journal_file(request.output), request.title, request.mode);
  const std::vector<Chunk> chunks =
      chunks_by_platform(without_rows(request.points, journal), longest_chunk);
  request.progress(journal.rows().size());
  SweepOutcome outcome;
  outcome.signal =
      run_jobs({.count = chunks.size(),
                .at_once = request.at_once,
                .work = [&](std::size_t i, const auto& send) { run_points(chunks[i], send); },
                .receive =
                    [&](const std::string& row) {
                      journal.add(row);
                      request.progress(journal.rows().size());
                    }});
  outcome.finished = journal.rows().size();
  if (outcome.signal != 0) return outcome;

  output.stream() << header_of_rows() << '\n';
  for (const Point& point : request.points) {
    const std::string& row = journal.rows().at(point.number);
    output.stream() << row << '\n';
    if (!has_result(point, row)) ++outcome.without_result;
  }
  sidecar.commit(output, request.provenance);
  journal.remove();
  return outcome;
}

}  // namespace layerpipe::sim
