#include "sim/report/check_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/contents.hpp"
#include "tests/support/test_machine.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::report {
namespace {

constexpr const char* shaped =
    "name: net\nbatch: 2\ninput: {features: 3}\nlayers:\n"
    "  - {type: linear, out_features: 5}\n  - {type: relu}\n";
constexpr const char* measured =
    "name: given\nlayers:\n  - {name: a, type: measured, forward: 10 ms, input_gradient: 10 ms, "
    "weight_gradient: 10 ms, activation: 4 MB, weight: 1 MB}\n";

CheckReport sample_report() {
  CheckReport report;
  report.add_good("p.xml", contents(tests::test_machine(2)));
  report.add_good("net.yaml", contents(read::parse_network(shaped, "net.yaml")));
  report.add_good("given.yaml", contents(read::parse_network(measured, "given.yaml")));
  report.add_bad("bad, file", "bad, file: is bad");
  return report;
}

// The test machine has 2 x 2 links; the linear layer has 3 x 5 weights and 5 biases.
TEST(CheckReport, SaysWhatEachFileContains) {
  EXPECT_EQ(sample_report().text(),
            "File        Kind      Contents\n"
            "----------  --------  ---------------------------------------------------------------"
            "-------------\n"
            "p.xml       platform  2 processors of 32x32 at 1 GHz, weight-stationary, 4 links of "
            "64.0 GB/s, 0 s\n"
            "net.yaml    workload  net: 2 layers, 1 with weights, 20 parameters, batch 2, input "
            "3x1x1\n"
            "given.yaml  workload  given: 1 layer, 1 with weights, unknown parameters, batch 1, "
            "given costs\n"
            "bad, file   -         bad: bad, file: is bad\n");
}

TEST(CheckReport, JsonHasAnObjectPerFile) {
  const nlohmann::ordered_json files = sample_report().json()["files"];
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[1].dump(),
            R"({"file":"net.yaml","kind":"workload","name":"net","layers":2,"weighted_layers":1,)"
            R"("parameters":20,"batch":2,"input":"3x1x1"})");
  EXPECT_EQ(files[3].dump(), R"({"file":"bad, file","kind":null,"error":"bad, file: is bad"})");
}

TEST(CheckReport, CsvHasARowPerFile) {
  EXPECT_EQ(sample_report().csv(),
            "file,kind,name,processors,array,clock_hertz,dataflow,weight_gradient_dataflow,"
            "input_gradient,links,layers,weighted_layers,parameters,batch,input,error\n"
            "p.xml,platform,test machine,2,32x32,1000000000.0,weight-stationary,weight-stationary,"
            "convolution,4,,,,,,\n"
            "net.yaml,workload,net,,,,,,,,2,1,20,2,3x1x1,\n"
            "given.yaml,workload,given,,,,,,,,1,1,,1,,\n"
            "\"bad, file\",,,,,,,,,,,,,,,\"bad, file: is bad\"\n");
}

TEST(CheckReport, SaysHowLinksDiffer) {
  machine::Machine machine = tests::test_machine(2);
  machine.links[0].bytes_per_second = 125e6;
  machine.links[3].latency_seconds = 2e-6;
  CheckReport report;
  report.add_good("p.xml", contents(machine));
  EXPECT_THAT(report.text(),
              testing::HasSubstr(", 4 links of 125.0 MB/s to 64.0 GB/s, 0 s to 2.0 us\n"));
  EXPECT_EQ(report.json()["files"][0]["link_bytes_per_second"].dump(),
            "[125000000.0,64000000000.0]");
  machine.links.clear();
  EXPECT_TRUE(contents(machine)["link_latency_seconds"].is_null());
}

TEST(CheckReport, SaysHowOperationsAreMapped) {
  machine::Machine machine = tests::test_machine(2);
  machine.array.weight_gradient_dataflow = array::Dataflow::output_stationary;
  machine.array.input_gradient = network::InputGradientMapping::gemm;
  CheckReport report;
  report.add_good("p.xml", contents(machine));
  EXPECT_THAT(report.text(),
              testing::HasSubstr("weight-stationary, weight gradient output-stationary, input "
                                 "gradient gemm, 4 links"));
}

}  // namespace
}  // namespace layerpipe::report
