#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workloads/base/error.hpp"

namespace layerpipe::base {

/// What some editors begin UTF-8 with.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// In place of a path: the standard input, read to its end.
inline constexpr std::string_view standard_input = "-";

/// The bytes of the file at `path`, which may also be a pipe below /dev, such as /dev/stdin: one
/// that is open already. A pipe with another name would have to be waited for. Throws InputError if
/// it cannot be read, is no such file or is longer than `max_bytes`.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t max_bytes);

/// The path as messages name it; "standard input" for that.
[[nodiscard]] std::string shown_path(const std::string& path);

/// `text` without byte order mark and with LF as the only end of line (CRLF is accepted). Throws
/// InputError, with the position in `file`, unless it is UTF-8 without control characters.
[[nodiscard]] std::string normalized_text(std::string_view text, const std::string& file);

/// Line and column of the byte at `offset` of `text`, that of `file`. Columns count characters.
/// Precondition: the text is normalized, and the offset is at most its size.
[[nodiscard]] SourcePosition position_in(std::string_view text, std::size_t offset,
                                         const std::string& file);

/// True for UTF-8 on one line: no control characters (C0, DEL, C1) and no line separators.
[[nodiscard]] bool is_printable_line(std::string_view text);

/// `text` on one line of UTF-8: what is not printable becomes `?`.
[[nodiscard]] std::string printable(std::string_view text);

/// Printable `text` in single quotes, for a message; what is longer than 40 characters is cut.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace layerpipe::base
