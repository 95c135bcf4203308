#include "sim/cli/usage.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "sim/process/complaint.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::cli {
namespace {

bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-';
}

/// What a message begins with: "simulate: " for a command, nothing for the program.
std::string prefix(const CLI::App& app) {
  return app.get_parent() == nullptr ? std::string() : app.get_name() + ": ";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    names.push_back(command->get_name());
  }
  return names;
}

[[noreturn]] void refuse(const CLI::App& app, std::string_view what, const std::string& word,
                         const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  throw UsageError(fmt::format("{}unknown {} {} {}", prefix(app), what, base::in_quotes(word),
                               base::suggestion(word, candidates)));
}

/// `layerpipe help` is what other programs have for --help; a command may follow.
[[noreturn]] void refuse_help(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  throw UsageError(fmt::format("unknown command 'help' (expected layerpipe {}--help)",
                               chosen.empty() ? "" : chosen.front()->get_name() + " "));
}

/// An argument that is left over behind `--schedules` most likely is one more of its values.
std::string hint_at_commas(const CLI::App& command) {
  const CLI::Option* schedules = command.get_option_no_throw("--schedules");
  if (schedules == nullptr || schedules->count() == 0) return {};
  return " (several --schedules are separated by commas alone: A,B,...)";
}

/// Throws UsageError if `app` was given an argument that it has no use for; a misspelt option comes
/// first, since its value may have been taken for something else.
void check_leftovers(const CLI::App& app) {
  const std::vector<std::string> leftovers = app.remaining();
  for (const std::string& argument : leftovers) {
    if (looks_like_option(argument)) {
      refuse(app, "option", argument.substr(0, argument.find('=')), option_names(app));
    }
  }
  if (leftovers.empty()) return;
  if (app.get_parent() == nullptr) {
    if (leftovers.front() == "help") refuse_help(app);
    refuse(app, "command", leftovers.front(), command_names(app));
  }
  throw UsageError(fmt::format("{}unexpected argument {}{}", prefix(app),
                               base::in_quotes(leftovers.front()), hint_at_commas(app)));
}

void check_all_leftovers(const CLI::App& program) {
  check_leftovers(program);
  for (const CLI::App* command : program.get_subcommands()) check_leftovers(*command);
}

/// CLI11's message in our form. Where a value is missing, or one too many, it begins with the
/// option's name, for flags without hyphens.
std::string reason(const CLI::ParseError& error) {
  const std::string message = process::first_line(error.what());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return message;
  const std::string option = message.substr(0, message.find_first_of(": "));
  if (!option.starts_with('-')) return fmt::format("--{}: expected no value", option);
  return fmt::format("{}: expected exactly one value", option);
}

}  // namespace

void parse(CLI::App& program, int argc, const char* const* argv) {
  program.allow_extras();
  for (CLI::App* command : program.get_subcommands(nullptr)) command->allow_extras();
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    check_all_leftovers(program);
    const auto chosen = program.get_subcommands();
    throw UsageError(prefix(chosen.empty() ? program : *chosen.front()) + reason(error));
  }
  check_all_leftovers(program);
}

}  // namespace layerpipe::cli
