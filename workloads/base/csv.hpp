#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace layerpipe::base {

/// One row of comma-separated values, quoted by RFC 4180, without an end of line.
[[nodiscard]] std::string csv_row(const std::vector<std::string>& fields);

/// Such rows; lines end with a line feed alone.
class Csv {
 public:
  explicit Csv(const std::vector<std::string>& header) { add_row(header); }

  void add_row(const std::vector<std::string>& fields);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A number with all its digits: a double has as many as are needed to read the same one back.
[[nodiscard]] std::string csv_number(std::integral auto number) { return std::to_string(number); }
[[nodiscard]] std::string csv_number(double number);

}  // namespace layerpipe::base
