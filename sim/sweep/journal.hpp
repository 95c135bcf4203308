#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sim/process/child_process.hpp"
#include "sim/process/provenance.hpp"

namespace layerpipe::sweep {

/// What sweep a journal is of: what goes on has to agree in all.
struct JournalTitle {
  std::string program;                     ///< its name and versions
  std::vector<process::InputFile> inputs;  ///< SweepSpec::inputs
  std::string share;                       ///< "1/4"
};

/// The rows of points that are finished, in a file, in the order in which they were: what a sweep
/// that has ended early, however that was, goes on from. The first line says which sweep it is;
/// each other one is a row behind its digest, so that a line that was cut off is known.
class Journal {
 public:
  enum class Mode { begin, resume };

  /// Opens or creates the file at `path`, of the sweep that `title` describes. To resume, reads the
  /// rows that are there, and leaves out whatever follows a line that is damaged; without a file
  /// there are none. Only one process can have a journal open.
  ///
  /// Throws UsageError if there are rows, or another sweep's, and they are not asked for, and if
  /// another process has it open; InputError if they are another sweep's and are asked for;
  /// OutputError if the file cannot be written, or is no regular one. A symbolic link stays, what
  /// it leads to is the file.
  Journal(const std::string& path, const JournalTitle& title, Mode mode);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Leaves the file, unless there are no rows to go on from.
  ~Journal();

  /// By the number of their point.
  [[nodiscard]] const std::map<std::size_t, std::string>& rows() const { return rows_; }

  /// Adds a row of a point that has none yet. It survives this process at once, and the machine
  /// within a second. Throws OutputError, and leaves whole lines if there is no room.
  void add(const std::string& row);

  /// Deletes the file.
  void remove();

 private:
  void require_regular_file();
  void lock() const;
  void read(const JournalTitle& title, Mode mode);
  void write_title(const std::string& line);
  void write(const std::string& text);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  process::FileDescriptor file_;
  off_t size_ = 0;  ///< of the whole lines
  std::map<std::size_t, std::string> rows_;
  std::chrono::steady_clock::time_point next_sync_;
};

}  // namespace layerpipe::sweep
