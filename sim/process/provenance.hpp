#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace layerpipe::process {

/// A file that an output depends on.
struct InputFile {
  std::string name;    ///< as the user gave it
  std::string sha256;  ///< of its bytes

  friend bool operator==(const InputFile&, const InputFile&) = default;
};

/// The file of that name and text.
[[nodiscard]] InputFile input_file_of(std::string name, std::string_view text);

/// What an output is from. Equal commands on equal files have the same, on any machine and at any
/// time: no dates, no names of machines, no paths but those that the user gave.
struct Provenance {
  std::string program_version;
  std::string simgrid_version;
  std::string command;  ///< a line for a shell
  std::vector<InputFile> inputs;
};

/// A line for a shell that calls `program` with the same arguments.
[[nodiscard]] std::string shell_command(std::string_view program,
                                        const std::vector<std::string>& arguments);

/// The object documented in docs/formats/provenance.md.
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);

/// The same on one line of UTF-8, for a comment.
[[nodiscard]] std::string to_line(const Provenance& provenance);

}  // namespace layerpipe::process
