#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "sim/process/provenance.hpp"

namespace layerpipe::cli {

/// One command of the program: what CLI11 parses, and what to do then. `run` gets what the command
/// knows of its provenance before it has read a file; it returns the exit code and throws Error.
struct Command {
  CLI::App* app = nullptr;
  std::function<int(process::Provenance)> run;
};

/// Each adds its command to `program`; every one is in a file of its own.
[[nodiscard]] Command add_simulate(CLI::App& program);
[[nodiscard]] Command add_compare(CLI::App& program);
[[nodiscard]] Command add_profile(CLI::App& program);
[[nodiscard]] Command add_schedule(CLI::App& program);
[[nodiscard]] Command add_theory(CLI::App& program);
[[nodiscard]] Command add_sweep(CLI::App& program);
[[nodiscard]] Command add_check(CLI::App& program);
[[nodiscard]] Command add_platform(CLI::App& program);
[[nodiscard]] Command add_list(CLI::App& program);

}  // namespace layerpipe::cli
