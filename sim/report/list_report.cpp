#include "sim/report/list_report.hpp"

#include "sim/report/contents.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/table.hpp"

namespace layerpipe::report {
namespace {

using Json = nlohmann::ordered_json;

std::string description(const Json& entry) {
  return entry.at("kind") == "schedule" ? csv_field(entry, "description") : summary(entry);
}

}  // namespace

void ListReport::add_schedule(std::string_view name, std::string_view description) {
  entries_.push_back({{"kind", "schedule"}, {"name", name}, {"description", description}});
}

std::string ListReport::text() const {
  base::Table table({{"Kind", "", base::Align::left},
                     {"Name", "", base::Align::left},
                     {"Description", "", base::Align::left}});
  for (const Json& entry : entries_) {
    table.add_row({csv_field(entry, "kind"), csv_field(entry, "name"), description(entry)});
  }
  return table.text();
}

Json ListReport::json() const {
  Json json{
      {"schedules", Json::array()}, {"workloads", Json::array()}, {"platforms", Json::array()}};
  for (const Json& entry : entries_) json.at(csv_field(entry, "kind") + "s").push_back(entry);
  return json;
}

std::string ListReport::csv() const {
  const std::vector<std::string> columns{
      "kind",  "name",       "description", "layers",      "weighted_layers", "parameters", "batch",
      "input", "processors", "array",       "clock_hertz", "links",           "topology"};
  base::Csv csv(columns);
  for (const Json& entry : entries_) csv.add_row(csv_fields(entry, columns));
  return csv.text();
}

}  // namespace layerpipe::report
