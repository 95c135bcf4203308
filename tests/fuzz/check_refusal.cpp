#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::tests {

void check_refusal(const Error& error, std::string_view file) {
  constexpr std::size_t longest = 1000;
  const std::string_view line = error.what();
  if (base::is_printable_line(line) && line.starts_with(file) && line.size() <= longest) return;
  std::fprintf(stderr, "no line for a user: %s\n", error.what());
  std::abort();
}

}  // namespace layerpipe::tests
