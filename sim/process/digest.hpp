#pragma once

#include <string>
#include <string_view>

namespace layerpipe::process {

/// SHA-256 of `text`, as sha256sum prints it: 64 hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view text);

}  // namespace layerpipe::process
