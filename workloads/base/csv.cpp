#include "workloads/base/csv.hpp"

#include <fmt/format.h>

namespace layerpipe::base {
namespace {

std::string escaped(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string csv_row(const std::vector<std::string>& fields) {
  std::string row;
  std::string_view separator;
  for (const std::string& field : fields) {
    row += separator;
    row += escaped(field);
    separator = ",";
  }
  return row;
}

void Csv::add_row(const std::vector<std::string>& fields) { text_ += csv_row(fields) + '\n'; }

std::string csv_number(double number) { return fmt::format("{}", number); }

}  // namespace layerpipe::base
