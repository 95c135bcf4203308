#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace layerpipe::tests {

/// A command that a page shows, and what the page shows as its output.
struct ConsoleCommand {
  std::string command;
  std::string output;
  int line = 0;  ///< of the page
};

/// The commands in the ```console blocks of a Markdown page, in order. A line that begins with "$ "
/// is a command, and those after it that begin with "> " belong to it. What follows up to the next
/// command or the end of the block is the output.
[[nodiscard]] std::vector<ConsoleCommand> console_commands(std::string_view page);

/// Executes commands with the shell, in a folder of its own that has the shipped `platforms` and
/// `workloads` and is removed with this object; `layerpipe` is the program that was built.
class Console {
 public:
  Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  /// Standard output and standard error together.
  [[nodiscard]] std::string run(const std::string& command) const;

 private:
  std::string folder_;
};

}  // namespace layerpipe::tests
