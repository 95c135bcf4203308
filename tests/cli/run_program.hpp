#pragma once

#include <string>
#include <vector>

namespace layerpipe::tests {

/// What the program answered.
struct Answer {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs the built program in the source directory, with empty standard input. A shell may redirect
/// its streams: `redirection` stands behind its arguments, e.g. "> /dev/full"; `preparation` before
/// it, e.g. "ulimit -f 1; ".
Answer run_program(const std::vector<std::string>& arguments, const std::string& redirection = "",
                   const std::string& preparation = "");

/// A path in the directory for temporary files that no other test uses.
std::string temporary_path(const std::string& name);

/// What the file at `path` contains.
std::string content(const std::string& path);

}  // namespace layerpipe::tests
