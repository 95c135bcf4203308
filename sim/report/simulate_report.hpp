#pragma once

#include "sim/metrics/result.hpp"
#include "sim/report/report.hpp"

namespace layerpipe::report {

/// Of one simulated run. Text ends in the verdict; JSON is the result itself; CSV has a row per
/// processor.
class SimulateReport final : public Report {
 public:
  explicit SimulateReport(metrics::Result result) : result_(std::move(result)) {}

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  metrics::Result result_;
};

}  // namespace layerpipe::report
