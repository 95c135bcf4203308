#include "sim/report/profile_report.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_machine.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::report {
namespace {

constexpr const char* network_text = R"(name: net
batch: 2
input: {features: 3}
layers:
  - {name: one, type: linear, out_features: 5}
  - {name: act, type: relu}
  - {name: two, type: linear, out_features: 7, bias: false}
  - {name: three, type: linear, out_features: 1}
)";

ProfileReport sample_report(costs::Split split = costs::Split::ideal) {
  const network::Network network = read::parse_network(network_text, "net.yaml");
  const machine::Machine machine = tests::test_machine(1);
  return {machine, network, costs::profile(machine, network), split, {{"array", "32x32"}}};
}

// On 32 x 32 arrays a GEMM that fits takes 2 x 32 + 32 + T - 2 = 94 + T cycles, weight-stationary:
// T = M is the batch, 2, for FP and delta, and the input features for G. Elements are 4 bytes:
// activations 2 x 5 x 4, weights with bias (15 + 5) x 4, without 35 x 4.
TEST(ProfileReport, ListsEveryLayer) {
  const nlohmann::ordered_json layers = sample_report().json()["layers"];
  ASSERT_EQ(layers.size(), 4U);
  EXPECT_EQ(layers[0].dump(),
            R"({"name":"one","type":"linear","forward_cycles":96,"input_gradient_cycles":0,)"
            R"("weight_gradient_cycles":97,"activation_bytes":40,"gradient_bytes":40,)"
            R"("weight_bytes":80,"boundary_forward_bytes":null,"boundary_backward_bytes":null,)"
            R"("lent_weight_bytes":null,"half_lent":null,"split_obstacle":null})");
  EXPECT_EQ(layers[1].dump(),
            R"({"name":"act","type":"relu","forward_cycles":0,"input_gradient_cycles":0,)"
            R"("weight_gradient_cycles":0,"activation_bytes":40,"gradient_bytes":40,)"
            R"("weight_bytes":0,"boundary_forward_bytes":null,"boundary_backward_bytes":null,)"
            R"("lent_weight_bytes":null,"half_lent":null,"split_obstacle":null})");
  EXPECT_EQ(layers[2].dump(),
            R"({"name":"two","type":"linear","forward_cycles":96,"input_gradient_cycles":96,)"
            R"("weight_gradient_cycles":99,"activation_bytes":56,"gradient_bytes":56,)"
            R"("weight_bytes":140,"boundary_forward_bytes":40,"boundary_backward_bytes":40,)"
            R"("lent_weight_bytes":140,"half_lent":{"units":96,"lent_units":48,)"
            R"("whole_cycles":96,"kept_cycles":48,"lent_cycles":48,"extra_cycles":0,)"
            R"("lent_weight_bytes":70,"lent_gradient_bytes":20},"split_obstacle":null})");
  EXPECT_TRUE(layers[3]["lent_weight_bytes"].is_null());
  EXPECT_EQ(layers[3]["boundary_forward_bytes"], 56);
}

// 96 + 96 + 96, 0 + 96 + 96, and 97 + 99 + 101 cycles; (15 + 5 + 35 + 7 + 1) x 4 bytes.
TEST(ProfileReport, TextEndsInTheTotal) {
  const std::string text = sample_report().text();
  EXPECT_NE(text.find("\nTotal 777 cycles: 288 forward, 192 input gradient, 297 weight gradient; "
                      "252 B of weights\n"),
            std::string::npos)
      << text;
}

TEST(ProfileReport, CsvLeavesWhatDoesNotExistEmpty) {
  EXPECT_EQ(sample_report().csv(),
            "name,type,forward_cycles,input_gradient_cycles,weight_gradient_cycles,"
            "activation_bytes,gradient_bytes,weight_bytes,boundary_forward_bytes,"
            "boundary_backward_bytes,lent_weight_bytes,half_units,half_lent_units,"
            "half_kept_cycles,half_lent_cycles,half_lent_weight_bytes,half_lent_gradient_bytes,"
            "split_obstacle\n"
            "one,linear,96,0,97,40,40,80,,,,,,,,,,\n"
            "act,relu,0,0,0,40,40,0,,,,,,,,,,\n"
            "two,linear,96,96,99,56,56,140,40,40,140,96,48,48,48,70,20,\n"
            "three,linear,96,96,101,8,8,32,56,56,,,,,,,,\n");
}

// Layer two has 5 input channels in one column fold: 2 and 3 of them take 96 cycles each. Two of
// them need 2 x 7 x 4 bytes of weights, and are 2 x 2 x 4 bytes of the gradient at the input.
TEST(ProfileReport, SaysWhatHalfOfTheChannelsCosts) {
  const ProfileReport report = sample_report(costs::Split::channels);
  EXPECT_EQ(report.json()["layers"][2]["half_lent"].dump(),
            R"({"units":5,"lent_units":2,"whole_cycles":96,"kept_cycles":96,"lent_cycles":96,)"
            R"("extra_cycles":96,"lent_weight_bytes":56,"lent_gradient_bytes":16})");
  const std::string reason =
      "one part costs all 96 cycles however its 5 channels are divided (5 <= 32 columns)";
  EXPECT_EQ(report.json()["layers"][2]["split_obstacle"], reason);
  EXPECT_NE(report.text().find("No use in splitting two: " + reason + "\n"), std::string::npos)
      << report.text();
}

// One of two samples streams through the array in 94 + 1 cycles, and needs all weights.
TEST(ProfileReport, SaysWhatHalfOfTheSamplesCosts) {
  const ProfileReport report = sample_report(costs::Split::batch);
  EXPECT_EQ(report.json()["layers"][2]["half_lent"].dump(),
            R"({"units":2,"lent_units":1,"whole_cycles":96,"kept_cycles":95,"lent_cycles":95,)"
            R"("extra_cycles":94,"lent_weight_bytes":140,"lent_gradient_bytes":20})");
  EXPECT_TRUE(report.json()["layers"][2]["split_obstacle"].is_null());
}

}  // namespace
}  // namespace layerpipe::report
