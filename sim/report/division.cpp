#include "sim/report/division.hpp"

#include <fmt/format.h>

#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::report {

nlohmann::ordered_json division_json(const contract::Division& division) {
  return {{"units", division.units},
          {"lent_units", division.lent_units},
          {"whole_cycles", division.whole_cycles},
          {"kept_cycles", division.kept_cycles},
          {"lent_cycles", division.lent_cycles},
          {"extra_cycles", division.extra_cycles()},
          {"lent_weight_bytes", division.weight_bytes},
          {"lent_gradient_bytes", division.gradient_bytes}};
}

std::string extra_percent(const contract::Division& division) {
  return fmt::format("{:.1f}", 100.0 * static_cast<double>(division.extra_cycles()) /
                                   static_cast<double>(division.whole_cycles));
}

std::string obstacle_line(const std::string& layer, const std::string& obstacle) {
  return fmt::format("No use in splitting {}: {}\n", base::printable(layer), obstacle);
}

}  // namespace layerpipe::report
