#include "sim/cli/complain.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "workloads/base/text.hpp"

namespace layerpipe::sim::cli {

void complain(const std::string& message) {
  std::fputs(fmt::format("layerpipe: {}\n", workloads::printable(message)).c_str(), stderr);
}

}  // namespace layerpipe::sim::cli
