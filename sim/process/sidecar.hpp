#pragma once

#include <optional>
#include <string>

#include "sim/process/output_file.hpp"
#include "sim/process/provenance.hpp"

namespace layerpipe::process {

/// What a file says of its provenance in another file beside it: for CSV, which has no comments
/// that all its readers pass over.
class Sidecar {
 public:
  /// The name of that of `file`.
  [[nodiscard]] static std::string name(const std::string& file);

  /// Throws OutputError if it cannot be written beside `file`. A device or a pipe has none.
  explicit Sidecar(const std::string& file);

  /// Commits `file` and what it is from, so that there is never a file with the sidecar of another.
  /// Throws OutputError.
  void commit(OutputFile& file, const Provenance& provenance);

 private:
  std::string name_;
  std::optional<OutputFile> output_;
};

}  // namespace layerpipe::process
