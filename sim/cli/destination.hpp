#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/output_file.hpp"

namespace layerpipe::sim::cli {

/// A file that the command line names, and the option or argument that does so.
struct NamedFile {
  std::string_view option;
  std::optional<std::string> path;
};

/// Throws UsageError if two of them are the same file, also by another path or a link: one would
/// overwrite the other. Devices such as /dev/null may be named twice.
void require_different_files(const std::vector<NamedFile>& files);

/// Where the output of a command goes: a file, or the standard output.
class Destination {
 public:
  /// Throws OutputError if the file cannot be written: made before work begins, it spares a run
  /// whose output would be lost.
  explicit Destination(const std::optional<std::string>& file);

  /// Writes all of the output, once. Throws OutputError.
  void write(std::string_view text);

 private:
  std::optional<OutputFile> file_;
};

}  // namespace layerpipe::sim::cli
