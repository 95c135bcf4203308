#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "workloads/network/network.hpp"

/// What a platform or workload contains, as an object that may have come from another process.
namespace layerpipe::report {

/// Its key "kind" is "platform" or "workload" (docs/formats/check.md).
[[nodiscard]] nlohmann::ordered_json contents(const machine::Machine& machine);
[[nodiscard]] nlohmann::ordered_json contents(const network::Network& network);

/// The contents in half a line, without the name.
[[nodiscard]] std::string summary(const nlohmann::ordered_json& contents);

/// The value at `key` as a field of CSV: empty if it is null or not there.
[[nodiscard]] std::string csv_field(const nlohmann::ordered_json& contents, const std::string& key);

/// The fields of one row of CSV.
[[nodiscard]] std::vector<std::string> csv_fields(const nlohmann::ordered_json& contents,
                                                  const std::vector<std::string>& keys);

}  // namespace layerpipe::report
