#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/output_file.hpp"

namespace layerpipe::sim::cli {

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
