#include "sim/report/list_report.hpp"

#include <gtest/gtest.h>

#include "sim/report/contents.hpp"
#include "tests/support/test_machine.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::report {
namespace {

constexpr const char* network =
    "name: net\nbatch: 2\ninput: {features: 3}\nlayers:\n"
    "  - {type: linear, out_features: 5}\n  - {type: relu}\n";

ListReport sample_report() {
  ListReport report;
  report.add_schedule("best", "as fast as can be");
  report.add(contents(read::parse_network(network, "net.yaml")));
  nlohmann::ordered_json platform = contents(tests::test_machine(2));
  platform["topology"] = "chain";
  report.add(platform);
  return report;
}

// The linear layer has 3 x 5 weights and 5 biases; the test machine has 2 x 2 links.
TEST(ListReport, HasALinePerName) {
  EXPECT_EQ(
      sample_report().text(),
      "Kind      Name          Description\n"
      "--------  ------------  -------------------------------------------------------------"
      "----------------------\n"
      "schedule  best          as fast as can be\n"
      "workload  net           2 layers, 1 with weights, 20 parameters, batch 2, input 3x1x1\n"
      "platform  test machine  2 processors of 32x32 at 1 GHz, weight-stationary, chain, 4 "
      "links of 64.0 GB/s, 0 s\n");
}

TEST(ListReport, JsonHasAListPerKind) {
  const nlohmann::ordered_json json = sample_report().json();
  EXPECT_EQ(json.at("schedules").dump(),
            R"([{"kind":"schedule","name":"best","description":"as fast as can be"}])");
  EXPECT_EQ(json.at("workloads").size(), 1U);
  EXPECT_EQ(json.at("platforms").at(0).at("topology"), "chain");
  EXPECT_EQ(ListReport().json().dump(), R"({"schedules":[],"workloads":[],"platforms":[]})");
}

TEST(ListReport, CsvHasARowPerName) {
  EXPECT_EQ(sample_report().csv(),
            "kind,name,description,layers,weighted_layers,parameters,batch,input,processors,array,"
            "clock_hertz,links,topology\n"
            "schedule,best,as fast as can be,,,,,,,,,,\n"
            "workload,net,,2,1,20,2,3x1x1,,,,,\n"
            "platform,test machine,,,,,,,2,32x32,1000000000.0,4,chain\n");
}

}  // namespace
}  // namespace layerpipe::report
