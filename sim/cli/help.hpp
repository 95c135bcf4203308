#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace layerpipe::sim::cli {

/// Writes help in our words, and breaks the lines of descriptions.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace layerpipe::sim::cli
