#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "workloads/base/error.hpp"

namespace layerpipe::tests {

/// What every refusal keeps: it is one printable line that begins with the file's name. Aborts if
/// this one does not.
void check_refusal(const Error& error, std::string_view file);

}  // namespace layerpipe::tests

/// What libFuzzer, and the replay of a corpus, call with each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
