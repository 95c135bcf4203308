#include "sim/engine/simgrid_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "platforms/file/named_element.hpp"
#include "platforms/file/platform_file.hpp"
#include "sim/process/complaint.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::engine {

namespace {

/// Takes "Parse error at `path`:LINE: " from the beginning of `text`; the line, 0 if there is none.
int take_line(std::string_view& text, const std::string& path) {
  const std::string opening = fmt::format("Parse error at {}:", path);
  if (!text.starts_with(opening)) return 0;
  text.remove_prefix(opening.size());
  int line = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), line);
  const std::size_t begin =
      text.find_first_not_of(": ", static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(std::min(begin, text.size()));
  return line;
}

/// Leaves out the state of SimGrid's parser, the title of a list that follows, and whatever is too
/// long for a line. SimGrid says "does name a node" of what does not.
std::string plain(std::string_view text) {
  constexpr std::string_view parser = "Invalid XML (";
  constexpr std::string_view list = " Existing netpoints:";
  constexpr std::string_view slip_of_simgrid = "does name a node";
  constexpr std::size_t longest = 300;
  if (text.starts_with(parser)) {
    const std::size_t end = text.find("): ");
    if (end != std::string_view::npos) text.remove_prefix(end + 3);
  }
  if (text.ends_with(list)) text.remove_suffix(list.size());
  std::string result = base::printable(text.substr(0, longest));
  if (text.size() > longest) result += "...";
  const std::size_t slip = result.find(slip_of_simgrid);
  if (slip != std::string::npos)
    result.replace(slip, slip_of_simgrid.size(), "does not name a node");
  return result;
}

}  // namespace

InputError simgrid_refusal(const std::string& path, std::string_view message) {
  const std::string line = process::first_line(message);
  std::string_view text = line;
  SourcePosition position{path, take_line(text, path), 0};
  if (position.line == 0) {
    const std::string file = file::read_platform_text(path);
    position = file::position_of_named(text, file, path).value_or(position);
  }
  return {position, "SimGrid refuses it: " + plain(text)};
}

}  // namespace layerpipe::engine
