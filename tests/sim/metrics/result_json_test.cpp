#include "sim/metrics/result_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/sample_result.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::metrics {
namespace {

std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items()) result.push_back(key);
  return result;
}

// The keys and their order are those of docs/formats/result.md.
TEST(ResultJson, HasTheDocumentedKeysInOrder) {
  const nlohmann::ordered_json json = to_json(tests::sample_result());
  EXPECT_EQ(keys(json), (std::vector<std::string>{
                            "platform", "workload", "schedule", "options", "batch", "iterations",
                            "iterations_requested", "processors_given", "processors_used", "engine",
                            "steady_state", "makespan_cycles", "bounds", "processors",
                            "communication_per_minibatch", "channels", "links", "layers"}));
  EXPECT_EQ(keys(json["steady_state"]),
            (std::vector<std::string>{
                "exact", "period_cycles", "period_seconds", "minibatches_per_period",
                "first_minibatch", "samples_per_second", "mean_over_minibatches",
                "relative_error_bound", "outcome", "latency", "latency_growth"}));
  EXPECT_EQ(keys(json["steady_state"]["latency"]),
            (std::vector<std::string>{"mean_cycles", "least_cycles", "most_cycles"}));
  EXPECT_EQ(keys(json["processors"][0]),
            (std::vector<std::string>{"name", "layers", "busy_cycles", "busy_cycles_per_minibatch",
                                      "utilization", "stall_cycles", "peak_memory_bytes"}));
  EXPECT_EQ(keys(json["processors"][0]["peak_memory_bytes"]),
            (std::vector<std::string>{"weights", "activations", "gradients", "queued", "total"}));
  EXPECT_EQ(keys(json["processors"][0]["stall_cycles"]),
            (std::vector<std::string>{"fill", "activation", "gradient", "weights", "weight_version",
                                      "channel", "sharing", "drain"}));
  EXPECT_EQ(keys(json["communication_per_minibatch"]),
            (std::vector<std::string>{"mandatory_bytes", "additional_weights_bytes",
                                      "additional_gradients_bytes"}));
  EXPECT_EQ(keys(json["channels"][0]),
            (std::vector<std::string>{"from", "to", "bytes_per_minibatch", "busy_fraction"}));
  EXPECT_EQ(keys(json["links"][0]),
            (std::vector<std::string>{"name", "bytes_per_minibatch", "busy_fraction",
                                      "bytes_per_second", "latency_seconds"}));
  EXPECT_EQ(keys(json["layers"][0]),
            (std::vector<std::string>{"name", "weight_versions", "activation_versions", "staleness",
                                      "lent_weight_versions", "queued", "pending_updates"}));
}

TEST(ResultJson, KeepsEveryValueOnTheWayThroughText) {
  Result result = tests::sample_result();
  result.steady_state.period_cycles = 1.0 / 3.0;
  result.makespan_cycles = 99'999'999'999'999;
  result.links[0].busy_fraction.reset();
  const std::string text = to_json(result).dump();
  const Result back = result_from_json(nlohmann::ordered_json::parse(text));
  EXPECT_EQ(to_json(back).dump(), text);
  EXPECT_EQ(back.links[0].busy_fraction, std::nullopt);
  EXPECT_EQ(back.steady_state.period_cycles, 1.0 / 3.0);
  EXPECT_EQ(back.makespan_cycles, 99'999'999'999'999);
  EXPECT_EQ(back.processors[1].stall_cycles.activation, 200);
  EXPECT_EQ(back.processors[0].layers, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(back.links[1].name, "down");
  EXPECT_EQ(back.processors[0].peak_memory_bytes.total, 4100);
}

TEST(ResultJson, RefusesWhatIsNoResult) {
  nlohmann::ordered_json missing = to_json(tests::sample_result());
  missing.erase("batch");
  EXPECT_THROW(static_cast<void>(result_from_json(missing)), InternalError);
  nlohmann::ordered_json wrong = to_json(tests::sample_result());
  wrong["batch"] = "four";
  EXPECT_THROW(static_cast<void>(result_from_json(wrong)), InternalError);
}

}  // namespace
}  // namespace layerpipe::metrics
