#pragma once

#include <boost/crc.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace layerpipe::sim {

/// Tells texts apart that differ by accident: CRC-64 (polynomial of ECMA-182, as in xz).
class Digest {
 public:
  /// Texts count with their lengths: "ab" and "c" is not "a" and "bc".
  void add(std::string_view text);

  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~std::uint64_t{0}, ~std::uint64_t{0}, true, true> crc_;
};

/// Of one text.
[[nodiscard]] std::string digest(std::string_view text);

}  // namespace layerpipe::sim
