#pragma once

#include <string>
#include <string_view>

namespace layerpipe::process {

/// `text` up to its first end of line.
[[nodiscard]] std::string first_line(std::string_view text);

/// What a process that died had to say, from all that it wrote: the message of the first line that
/// SimGrid logged as an error, else the first line that is neither blank nor part of a backtrace
/// nor logged as less than an error. May be empty.
[[nodiscard]] std::string complaint(std::string_view captured);

/// Whether `complaint` is about memory that could not be had.
[[nodiscard]] bool is_out_of_memory(std::string_view complaint);

/// "SIGSEGV".
[[nodiscard]] std::string signal_name(int signal);

}  // namespace layerpipe::process
