#pragma once

#include <CLI/CLI.hpp>

namespace layerpipe::cli {

/// Parses the command line. Throws UsageError, whose one line names what is wrong and the nearest
/// known command or option. CLI::CallForHelp and CLI::CallForVersion pass through.
void parse(CLI::App& program, int argc, const char* const* argv);

}  // namespace layerpipe::cli
