#include "sim/process/digest.hpp"

#include <sha256.h>

#include <array>

namespace layerpipe::process {

std::string sha256(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return digits.data();
}

}  // namespace layerpipe::process
