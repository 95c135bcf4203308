#include "sim/process/provenance.hpp"

#include <algorithm>

#include "sim/process/digest.hpp"

namespace layerpipe::process {
namespace {

using Json = nlohmann::ordered_json;

bool means_itself_to_a_shell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
}

std::string shell_word(const std::string& argument) {
  if (!argument.empty() && std::ranges::all_of(argument, means_itself_to_a_shell)) return argument;
  std::string word = "'";
  for (const char c : argument) {
    if (c == '\'') {
      word += R"('\'')";
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace

InputFile input_file_of(std::string name, std::string_view text) {
  return {std::move(name), sha256(text)};
}

std::string shell_command(std::string_view program, const std::vector<std::string>& arguments) {
  std::string command(program);
  for (const std::string& argument : arguments) command += ' ' + shell_word(argument);
  return command;
}

nlohmann::ordered_json to_json(const Provenance& provenance) {
  Json inputs = Json::array();
  for (const InputFile& input : provenance.inputs) {
    inputs.push_back({{"file", input.name}, {"sha256", input.sha256}});
  }
  return {{"layerpipe_version", provenance.program_version},
          {"simgrid_version", provenance.simgrid_version},
          {"command", provenance.command},
          {"inputs", std::move(inputs)}};
}

std::string to_line(const Provenance& provenance) {
  return to_json(provenance).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace layerpipe::process
