#include "tests/golden/console_page.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace layerpipe::tests {

namespace fs = std::filesystem;

std::vector<ConsoleCommand> console_commands(std::string_view page) {
  std::vector<ConsoleCommand> commands;
  std::istringstream lines{std::string(page)};
  bool in_block = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      in_block = line == "```console";
    } else if (in_block && line.starts_with("$ ")) {
      commands.push_back({line.substr(2), "", number});
    } else if (in_block && !commands.empty()) {
      ConsoleCommand& last = commands.back();
      if (last.output.empty() && line.starts_with("> ")) {
        last.command += '\n' + line.substr(2);
      } else {
        last.output += line + '\n';
      }
    }
  }
  return commands;
}

Console::Console() : folder_(fs::temp_directory_path() / "layerpipe_XXXXXX") {
  if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder " + folder_);
  for (const char* name : {"platforms", "workloads"}) {
    fs::create_directory_symlink(fs::path(LAYERPIPE_SOURCE_DIR) / name, fs::path(folder_) / name);
  }
}

Console::~Console() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Console::run(const std::string& command) const {
  const fs::path script = fs::path(folder_) / ".command";
  std::ofstream(script) << "cd '" << folder_ << "'\nPATH='" LAYERPIPE_PROGRAM_FOLDER "':$PATH\n"
                        << command << '\n';
  std::FILE* pipe = ::popen(fmt::format("sh '{}' 2>&1", script.string()).c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  ::pclose(pipe);
  return output;
}

}  // namespace layerpipe::tests
