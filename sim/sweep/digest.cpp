#include "sim/sweep/digest.hpp"

#include <fmt/format.h>

namespace layerpipe::sim {

void Digest::add(std::string_view text) {
  const std::string length = fmt::format("{}:", text.size());
  crc_.process_bytes(length.data(), length.size());
  crc_.process_bytes(text.data(), text.size());
}

std::string Digest::text() const { return fmt::format("{:016x}", crc_.checksum()); }

std::string digest(std::string_view text) {
  Digest result;
  result.add(text);
  return result.text();
}

}  // namespace layerpipe::sim
