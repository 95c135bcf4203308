#include "workloads/base/error.hpp"

#include <fmt/format.h>

namespace layerpipe {

std::string to_string(const SourcePosition& position) {
  if (position.line == 0) return position.file;
  if (position.column == 0) return fmt::format("{}:{}", position.file, position.line);
  return fmt::format("{}:{}:{}", position.file, position.line, position.column);
}

}  // namespace layerpipe
