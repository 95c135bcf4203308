#pragma once

#include <string>

namespace layerpipe::cli {

/// Writes `message` to the standard error as one printable line. That this may not be written is no
/// error of its own.
void complain(const std::string& message);

}  // namespace layerpipe::cli
