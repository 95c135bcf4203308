#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace layerpipe::cli {

/// Writes help in our words, and breaks the lines of descriptions.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  /// Which options exclude each other is left to their descriptions.
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override;
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace layerpipe::cli
