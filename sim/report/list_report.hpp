#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/report.hpp"

namespace layerpipe::report {

/// What the program has to offer by name: schedules, workloads and platforms, one row each.
class ListReport final : public Report {
 public:
  void add_schedule(std::string_view name, std::string_view description);

  /// `contents`: of a platform or workload (sim/report/contents.hpp).
  void add(const nlohmann::ordered_json& contents) { entries_.push_back(contents); }

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  std::vector<nlohmann::ordered_json> entries_;
};

}  // namespace layerpipe::report
