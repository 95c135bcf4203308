#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/metrics/result.hpp"
#include "sim/report/report.hpp"
#include "sim/run/theory.hpp"

namespace layerpipe::report {

/// How a pipeline is derived, what that implies, and three answers to the question of its period:
/// bounds, recurrence, simulation. One row per layer in CSV. The simulated run and the theory are
/// of the same schedule.
class TheoryReport final : public Report {
 public:
  TheoryReport(run::Theory theory, metrics::Result simulated)
      : theory_(std::move(theory)), simulated_(std::move(simulated)) {}

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  [[nodiscard]] std::string steps_table() const;
  [[nodiscard]] std::string layer_table() const;
  [[nodiscard]] std::string memory_table() const;
  /// Processors that have borrowed a part of the input gradient of the layer.
  [[nodiscard]] std::int64_t borrowers(std::size_t layer) const;
  [[nodiscard]] nlohmann::ordered_json kept_json() const;
  [[nodiscard]] nlohmann::ordered_json processors_json() const;
  [[nodiscard]] std::string loop() const;

  /// What a processor may have to keep.
  struct KeptBytes {
    std::int64_t weights = 0;
    std::int64_t activations = 0;
  };
  [[nodiscard]] std::vector<KeptBytes> kept_of_processors() const;

  run::Theory theory_;
  metrics::Result simulated_;
};

}  // namespace layerpipe::report
