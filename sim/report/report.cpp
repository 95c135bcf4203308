#include "sim/report/report.hpp"

#include "workloads/base/error.hpp"

namespace layerpipe::report {

namespace {

std::string json_text(const Report& report, const process::Provenance& provenance) {
  nlohmann::ordered_json json = report.json();
  json["provenance"] = to_json(provenance);
  // File and host names may hold bytes that are no UTF-8; JSON may not.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string render(const Report& report, Format format, const process::Provenance& provenance) {
  switch (format) {
    case Format::text:
      return report.text();
    case Format::json:
      return json_text(report, provenance);
    case Format::csv:
      return report.csv();
  }
  throw InternalError("unknown report format");
}

}  // namespace layerpipe::report
