#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/options.hpp"
#include "sim/process/output_file.hpp"
#include "sim/process/provenance.hpp"
#include "sim/process/sidecar.hpp"

namespace layerpipe::cli {

/// A file that the command line names, and the option or argument that does so.
struct NamedFile {
  std::string_view option;
  std::optional<std::string> path;
};

/// Throws UsageError if two of them are the same file, also by another path or a link: one would
/// overwrite the other. Devices such as /dev/null may be named twice.
void require_different_files(const std::vector<NamedFile>& files);

/// What a command writes to: `--output`, `traces`, and the files beside those of them that have
/// their provenance there.
[[nodiscard]] std::vector<NamedFile> written_files(const OutputOptions& output,
                                                   const std::vector<std::string>& traces = {});

/// Where the output of a command goes: a file, or the standard output. A CSV file gets its
/// provenance beside it.
class Destination {
 public:
  /// Throws OutputError if the file cannot be written: made before work begins, it spares a run
  /// whose output would be lost.
  explicit Destination(const OutputOptions& options);

  /// Writes all of the output, once. Throws OutputError.
  void write(std::string_view text, const process::Provenance& provenance);

 private:
  std::optional<process::OutputFile> file_;
  std::optional<process::Sidecar> sidecar_;
};

}  // namespace layerpipe::cli
