#include "sim/report/report.hpp"

#include "workloads/base/error.hpp"

namespace layerpipe::sim {

std::string render(const Report& report, Format format) {
  switch (format) {
    case Format::text:
      return report.text();
    case Format::json:
      // File and host names may hold bytes that are no UTF-8; JSON may not.
      return report.json().dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
             '\n';
    case Format::csv:
      return report.csv();
  }
  throw InternalError("unknown report format");
}

}  // namespace layerpipe::sim
