#include "sim/cli/complain.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "workloads/base/text.hpp"

namespace layerpipe::cli {

void complain(const std::string& message) {
  std::fputs(fmt::format("layerpipe: {}\n", base::printable(message)).c_str(), stderr);
}

}  // namespace layerpipe::cli
