#include "sim/cli/help.hpp"

#include <cstddef>
#include <sstream>

namespace layerpipe::cli {
namespace {

constexpr std::size_t name_width = 34;
constexpr std::size_t description_width = 100 - name_width;

/// `text` with line feeds instead of spaces, so that no line is longer than `width` if its words
/// are not.
std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string result;
  std::size_t line_width = 0;
  for (std::string word; words >> word; line_width += word.size()) {
    if (line_width > 0) {
      const bool fits = line_width + 1 + word.size() <= width;
      result += fits ? ' ' : '\n';
      line_width = fits ? line_width + 1 : 0;
    }
    result += word;
  }
  return result;
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(name_width);
  label("Positionals", "Arguments");
  label("REQUIRED", "");
  label("SUBCOMMAND", "COMMAND");
  label("Subcommands", "Commands");
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const std::string all = Formatter::make_option_opts(option);
  return all.substr(0, all.find(" Excludes:"));
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), description_width);
}

}  // namespace layerpipe::cli
