#include "sim/process/complaint.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace layerpipe::process {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The message of a line logged as an error: "[0.000000] a.cpp:1: [root/CRITICAL] message".
std::string_view logged_error(std::string_view line) {
  for (const std::string_view priority : {"/CRITICAL] ", "/ERROR] "}) {
    const std::size_t found = line.find(priority);
    if (found != std::string_view::npos) return trimmed(line.substr(found + priority.size()));
  }
  return {};
}

bool is_noise(std::string_view line) {
  constexpr std::array<std::string_view, 3> openings{"->", "Backtrace", "====="};
  constexpr std::array<std::string_view, 4> priorities{"/WARNING] ", "/INFO] ", "/VERBOSE] ",
                                                       "/DEBUG] "};
  return line.empty() ||
         std::ranges::any_of(openings, [&](auto opening) { return line.starts_with(opening); }) ||
         std::ranges::any_of(priorities, [&](auto priority) {
           return line.find(priority) != std::string_view::npos;
         });
}

}  // namespace

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string complaint(std::string_view captured) {
  std::string_view candidate;
  while (!captured.empty()) {
    const std::size_t end = std::min(captured.find('\n'), captured.size());
    const std::string_view line = trimmed(captured.substr(0, end));
    captured.remove_prefix(std::min(end + 1, captured.size()));
    if (const std::string_view error = logged_error(line); !error.empty())
      return std::string(error);
    if (candidate.empty() && !is_noise(line)) candidate = line;
  }
  return std::string(candidate);
}

bool is_out_of_memory(std::string_view complaint) {
  return complaint.find("bad_alloc") != std::string_view::npos ||
         complaint.find("Memory allocation") != std::string_view::npos ||
         complaint.find("Failed to allocate stack") != std::string_view::npos;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace layerpipe::process
