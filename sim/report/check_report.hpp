#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/report/report.hpp"

namespace layerpipe::report {

/// What files contain: one row per file.
class CheckReport final : public Report {
 public:
  /// `contents`: of a platform or workload (sim/report/contents.hpp).
  void add_good(const std::string& file, const nlohmann::ordered_json& contents);

  /// `error` is the line that says what is wrong.
  void add_bad(const std::string& file, const std::string& error);

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
};

}  // namespace layerpipe::report
