#pragma once

#include <string>
#include <string_view>

#include "workloads/base/error.hpp"

namespace layerpipe::engine {

/// What SimGrid says of the platform at `path`, as our error: its first line without what only its
/// developers understand, with the line that it names, or else the place of what it is about as far
/// as that can be told.
[[nodiscard]] InputError simgrid_refusal(const std::string& path, std::string_view message);

}  // namespace layerpipe::engine
