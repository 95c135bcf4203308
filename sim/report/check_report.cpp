#include "sim/report/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sim/report/csv.hpp"
#include "sim/report/table.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {
namespace {

using Json = nlohmann::ordered_json;
using workloads::format_count;

std::string number(const Json& object, const char* key) {
  return format_count(object.at(key).get<std::int64_t>());
}

std::string word(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

std::string platform_summary(const Json& file) {
  return fmt::format("{} processors of {} at {:.6g} GHz, {}, {} links", number(file, "processors"),
                     word(file, "array"), file.at("clock_hertz").get<double>() / 1e9,
                     word(file, "dataflow"), number(file, "links"));
}

std::string workload_summary(const Json& file) {
  const std::string input =
      file.at("input").is_null() ? "given costs" : "input " + word(file, "input");
  return fmt::format("{}: {} layers, {} with weights, {} parameters, batch {}, {}",
                     word(file, "name"), number(file, "layers"), number(file, "weighted_layers"),
                     file.at("parameters").is_null() ? "unknown" : number(file, "parameters"),
                     number(file, "batch"), input);
}

std::string summary(const Json& file) {
  if (file.at("kind").is_null()) return "bad: " + word(file, "error");
  return file.at("kind") == "platform" ? platform_summary(file) : workload_summary(file);
}

}  // namespace

Json contents(const platforms::Machine& machine) {
  const platforms::SystolicArray& array = machine.array;
  return {{"kind", "platform"},
          {"name", machine.name},
          {"processors", machine.processors.size()},
          {"array", fmt::format("{}x{}", array.rows, array.cols)},
          {"clock_hertz", machine.clock_hertz},
          {"dataflow", to_string(array.dataflow)},
          {"weight_gradient_dataflow", to_string(array.weight_gradient_dataflow)},
          {"input_gradient", platforms::to_string(array.input_gradient)},
          {"links", machine.links.size()}};
}

Json contents(const workloads::Network& network) {
  const bool measured = is_measured(network);
  std::int64_t parameters = 0;
  for (const workloads::Layer& layer : network.layers) parameters += parameter_count(layer);
  const auto weighted =
      std::count_if(network.layers.begin(), network.layers.end(),
                    [](const workloads::Layer& layer) { return has_gemm(layer); });
  const workloads::Shape& input = network.input;
  return {{"kind", "workload"},
          {"name", network.name},
          {"layers", network.layers.size()},
          {"weighted_layers", weighted},
          {"parameters", measured ? Json(nullptr) : Json(parameters)},
          {"batch", network.batch},
          {"input",
           measured ? Json(nullptr)
                    : Json(fmt::format("{}x{}x{}", input.channels, input.height, input.width))}};
}

void CheckReport::add_good(const std::string& file, const Json& contents) {
  Json& entry = files_.emplace_back(Json{{"file", file}});
  entry.update(contents);
}

void CheckReport::add_bad(const std::string& file, const std::string& error) {
  files_.push_back({{"file", file}, {"kind", nullptr}, {"error", error}});
}

std::string CheckReport::text() const {
  Table table(
      {{"File", "", Align::left}, {"Kind", "", Align::left}, {"Contents", "", Align::left}});
  for (const Json& file : files_) {
    table.add_row(
        {word(file, "file"), file.at("kind").is_null() ? "-" : word(file, "kind"), summary(file)});
  }
  return table.text();
}

Json CheckReport::json() const { return {{"files", files_}}; }

std::string CheckReport::csv() const {
  const std::vector<std::string> columns{
      "file",        "kind",  "name",   "processors",      "array",
      "clock_hertz", "links", "layers", "weighted_layers", "parameters",
      "batch",       "input", "error"};
  Csv csv(columns);
  for (const Json& file : files_) {
    std::vector<std::string> row;
    for (const std::string& column : columns) {
      const Json value = file.value(column, Json(nullptr));
      row.push_back(value.is_null()     ? ""
                    : value.is_string() ? value.get<std::string>()
                                        : value.dump());
    }
    csv.add_row(row);
  }
  return csv.text();
}

}  // namespace layerpipe::sim
