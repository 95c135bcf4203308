#pragma once

namespace layerpipe::cli {

/// The whole program: parses the command line, executes the command, returns the exit code. Throws
/// Error; a mistake on the command line is a UsageError of one line.
[[nodiscard]] int run_program(int argc, const char* const* argv);

}  // namespace layerpipe::cli
