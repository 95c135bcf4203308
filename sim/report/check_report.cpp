#include "sim/report/check_report.hpp"

#include "sim/report/contents.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/table.hpp"

namespace layerpipe::report {
namespace {

using Json = nlohmann::ordered_json;

std::string summary_or_error(const Json& file) {
  if (file.at("kind").is_null()) return "bad: " + file.at("error").get<std::string>();
  if (file.at("kind") == "platform") return summary(file);
  return file.at("name").get<std::string>() + ": " + summary(file);
}

}  // namespace

void CheckReport::add_good(const std::string& file, const Json& contents) {
  Json& entry = files_.emplace_back(Json{{"file", file}});
  entry.update(contents);
}

void CheckReport::add_bad(const std::string& file, const std::string& error) {
  files_.push_back({{"file", file}, {"kind", nullptr}, {"error", error}});
}

std::string CheckReport::text() const {
  base::Table table({{"File", "", base::Align::left},
                     {"Kind", "", base::Align::left},
                     {"Contents", "", base::Align::left}});
  for (const Json& file : files_) {
    table.add_row({csv_field(file, "file"),
                   file.at("kind").is_null() ? "-" : csv_field(file, "kind"),
                   summary_or_error(file)});
  }
  return table.text();
}

Json CheckReport::json() const { return {{"files", files_}}; }

std::string CheckReport::csv() const {
  const std::vector<std::string> columns{
      "file",           "kind",        "name",     "processors",
      "array",          "clock_hertz", "dataflow", "weight_gradient_dataflow",
      "input_gradient", "links",       "layers",   "weighted_layers",
      "parameters",     "batch",       "input",    "error"};
  base::Csv csv(columns);
  for (const Json& file : files_) csv.add_row(csv_fields(file, columns));
  return csv.text();
}

}  // namespace layerpipe::report
