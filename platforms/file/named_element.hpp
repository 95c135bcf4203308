#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/base/error.hpp"

namespace layerpipe::file {

/// Where the element stands that a message of SimGrid is about, as far as the names in it tell: of
/// all elements of the platform in `text`, the one that has most of its names (`id`, `src`, `dst`,
/// `up`, `down`) in `message` as whole words, and the last of several. None if no element has any.
/// `file` names the text. Throws InputError unless that is well-formed XML.
[[nodiscard]] std::optional<SourcePosition> position_of_named(std::string_view message,
                                                              std::string_view text,
                                                              const std::string& file);

}  // namespace layerpipe::file
