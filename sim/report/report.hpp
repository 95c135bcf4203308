#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/process/provenance.hpp"

namespace layerpipe::report {

enum class Format { text, json, csv };

/// What a command has found out, in the forms a user may ask for. Contract: the three say the same,
/// depend on nothing but the report's content, and end with a line feed (`json` is formatted by
/// `render`).
class Report {
 public:
  virtual ~Report() = default;

  /// For people: lines of a terminal.
  [[nodiscard]] virtual std::string text() const = 0;

  /// For programs: the object documented in docs/formats/.
  [[nodiscard]] virtual nlohmann::ordered_json json() const = 0;

  /// For spreadsheets: a header line with units in the names, then one row per item.
  [[nodiscard]] virtual std::string csv() const = 0;
};

/// In JSON, the object has `provenance`, too; text and CSV have not.
[[nodiscard]] std::string render(const Report& report, Format format,
                                 const process::Provenance& provenance);

}  // namespace layerpipe::report
