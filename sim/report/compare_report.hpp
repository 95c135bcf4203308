#pragma once

#include <vector>

#include "sim/metrics/result.hpp"
#include "sim/report/report.hpp"

namespace layerpipe::report {

/// Of several runs of the same network on the same machine: one row per run, with its speed-up over
/// the first, the ratio of their periods.
class CompareReport final : public Report {
 public:
  /// Precondition: there is at least one result.
  explicit CompareReport(std::vector<metrics::Result> results) : results_(std::move(results)) {}

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  [[nodiscard]] double speedup(const metrics::Result& result) const;

  std::vector<metrics::Result> results_;
};

}  // namespace layerpipe::report
