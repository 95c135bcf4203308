#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sim/process/provenance.hpp"
#include "sim/sweep/journal.hpp"
#include "sim/sweep/points.hpp"

namespace layerpipe::sweep {

/// Points to be simulated, and what is to become of their rows.
struct SweepRequest {
  std::vector<Point> points;  ///< by increasing numbers
  std::string output;         ///< a file; its journal is beside it
  JournalTitle title;
  Journal::Mode mode = Journal::Mode::begin;
  process::Provenance provenance;
  std::size_t at_once = 1;  ///< points that are simulated at a time
  /// Called with the number of points that have a row: first those that the journal has.
  std::function<void(std::size_t)> progress;
};

struct SweepOutcome {
  int signal = 0;  ///< that ended the sweep early: there is no output, but the journal
  std::size_t finished = 0;
  std::size_t without_result = 0;  ///< of those
  std::size_t failed = 0;          ///< of those: worth another try, for which the journal is left
};

/// The file that keeps the rows of an unfinished sweep: `output`.journal.
[[nodiscard]] std::string journal_file(const std::string& output);

/// Simulates all points that the journal does not have, then writes the output, whole or not at
/// all, with a row for each point in their order and its provenance beside it, and deletes the
/// journal, unless a point has failed: the journal has the rows of the others then. Without
/// failures the output depends on the points alone. Throws as Journal, run_points and run_jobs do,
/// and OutputError, and leaves the journal then.
[[nodiscard]] SweepOutcome sweep(const SweepRequest& request);

}  // namespace layerpipe::sweep
