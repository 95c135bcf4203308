#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/machine.hpp"
#include "sim/report/report.hpp"
#include "workloads/network.hpp"

namespace layerpipe::sim {

/// What a good file contains: an object whose key "kind" is "platform" or "workload". It may have
/// come from another process.
[[nodiscard]] nlohmann::ordered_json contents(const platforms::Machine& machine);
[[nodiscard]] nlohmann::ordered_json contents(const workloads::Network& network);

/// What files contain: one row per file.
class CheckReport final : public Report {
 public:
  void add_good(const std::string& file, const nlohmann::ordered_json& contents);

  /// `error` is the line that says what is wrong.
  void add_bad(const std::string& file, const std::string& error);

  [[nodiscard]] std::string text() const override;
  [[nodiscard]] nlohmann::ordered_json json() const override;
  [[nodiscard]] std::string csv() const override;

 private:
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
};

}  // namespace layerpipe::sim
