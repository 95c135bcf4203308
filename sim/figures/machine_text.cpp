#include "sim/figures/machine_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "sim/figures/figures.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::figures {

using Json = nlohmann::ordered_json;

std::string array_text(const Json& options) {
  const Json array = options.value("array", Json(""));
  return array.is_null() ? "unknown size" : array.get<std::string>();
}

std::string overrides_line(const Json& options) {
  const Json given = options.value("instead_of_platform", Json::object());
  std::vector<std::string> parts;
  const auto add = [&](const char* key, const char* noun, auto text) {
    if (given.contains(key)) parts.push_back(fmt::format("{} {}", noun, text(given.at(key))));
  };
  const auto name = [](const Json& value) { return value.get<std::string>(); };
  add("array", "array", name);
  add("dataflow", "dataflow", name);
  add("clock_hertz", "clock",
      [](const Json& value) { return format_frequency(value.get<double>()); });
  add("link_bytes_per_second", "link bandwidth", [](const Json& value) {
    return base::format_bytes(std::llround(value.get<double>())) + "/s";
  });
  add("link_latency_seconds", "link latency",
      [](const Json& value) { return base::format_seconds(value.get<double>()); });
  return parts.empty() ? std::string()
                       : fmt::format("Instead of the platform's: {}\n", fmt::join(parts, ", "));
}

}  // namespace layerpipe::figures
