#include "workloads/base/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <system_error>
#include <vector>

#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0 where the bytes are not UTF-8
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The code point at the start of `text`, which is not empty (RFC 3629, section 3).
CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    value = (value << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

bool is_control(std::uint32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

bool is_printable(const CodePoint& c) {
  const bool is_line_separator = c.value == 0x2028 || c.value == 0x2029;
  return c.bytes > 0 && !is_control(c.value) && !is_line_separator;
}

/// Why a text file may not contain `code_point`; empty if it may.
std::string problem(const CodePoint& code_point) {
  if (code_point.bytes == 0) return "not UTF-8 (expected a text file)";
  if (code_point.value == '\t' || code_point.value == '\n' || !is_control(code_point.value)) {
    return {};
  }
  return fmt::format("control character U+{:04X} (expected a text file)", code_point.value);
}

[[noreturn]] void refuse_to_read(const std::string& path, int error) {
  throw InputError({shown_path(path), 0, 0},
                   fmt::format("cannot be read: {} (expected a readable file)",
                               std::generic_category().message(error)));
}

/// A descriptor, or less than 0 and errno. Opening never waits.
int open_to_read(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw InputError({path, 0, 0}, "is a directory (expected a file)");
    const bool is_open_pipe = S_ISFIFO(status.st_mode) && path.starts_with("/dev/");
    if (!S_ISREG(status.st_mode) && !is_open_pipe) {
      throw InputError({path, 0, 0}, "is not a regular file (expected one)");
    }
  }
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes) {
  const int descriptor = path == standard_input ? ::dup(STDIN_FILENO) : open_to_read(path);
  if (descriptor < 0) refuse_to_read(path, errno);
  std::string text;
  std::vector<char> chunk(std::size_t{1} << 16U);  // not on the stack, which may be small
  ssize_t count = 1;
  while (count != 0 && text.size() <= max_bytes) {
    count = ::read(descriptor, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  const int error = count < 0 ? errno : 0;
  ::close(descriptor);
  if (error != 0) refuse_to_read(path, error);
  if (text.size() > max_bytes) {
    throw InputError({shown_path(path), 0, 0},
                     fmt::format("too large (expected at most {} bytes)",
                                 format_count(static_cast<std::int64_t>(max_bytes))));
  }
  return text;
}

std::string shown_path(const std::string& path) {
  return path == standard_input ? "standard input" : path;
}

std::string normalized_text(std::string_view text, const std::string& file) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string result;
  result.reserve(text.size());
  SourcePosition position{file, 1, 1};
  while (!text.empty()) {
    if (text.starts_with("\r\n")) text.remove_prefix(1);
    const CodePoint code_point = first_code_point(text);
    if (const std::string wrong = problem(code_point); !wrong.empty()) {
      throw InputError(position, wrong);
    }
    result.append(text.substr(0, code_point.bytes));
    text.remove_prefix(code_point.bytes);
    if (code_point.value == '\n') {
      ++position.line;
      position.column = 1;
    } else {
      ++position.column;
    }
  }
  return result;
}

SourcePosition position_in(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto columns = std::count_if(line.begin(), line.end(), std::not_fn(is_continuation));
  return {file, static_cast<int>(lines) + 1, static_cast<int>(columns) + 1};
}

bool is_printable_line(std::string_view text) { return printable(text) == text; }

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint code_point = first_code_point(text);
    const std::size_t bytes = std::max<std::size_t>(code_point.bytes, 1);
    result += is_printable(code_point) ? text.substr(0, bytes) : "?";
    text.remove_prefix(bytes);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::size_t end = 0;
  for (std::size_t i = 0; i < longest && end < text.size(); ++i) {
    end += std::max<std::size_t>(first_code_point(text.substr(end)).bytes, 1);
  }
  return fmt::format("'{}{}'", printable(text.substr(0, end)), end < text.size() ? "..." : "");
}

}  // namespace layerpipe::base
