#include "scheduler/costs/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/test_machine.hpp"
#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {
namespace {

using costs::LayerProfile;
using costs::Profile;

Profile shipped(const std::string& name) {
  return costs::profile(test_machine(1), read::read_network(std::string(LAYERPIPE_SOURCE_DIR) +
                                                            "/workloads/" + name + ".yaml"));
}

Profile parsed(const std::string& layers) {
  return costs::profile(
      test_machine(1),
      read::parse_network("name: test\nbatch: 2\ninput: {channels: 3, height: 8, width: 8}\n"
                          "layers:\n" +
                              layers,
                          "test.yaml"));
}

/// Reference figures R4: cycles of the sample network on 32 x 32 arrays.
TEST(Profile, SampleNetwork) {
  const Profile profile = shipped("sample4");
  ASSERT_EQ(profile.layers.size(), 4U);
  const std::int64_t expected[4][3] = {{8028630, 0, 12092416},
                                       {4015020, 22480164, 5970944},
                                       {2812488, 14454072, 3299072},
                                       {7232112, 7232112, 8404480}};
  for (std::size_t l = 0; l < 4; ++l) {
    EXPECT_EQ(profile.layers[l].forward_cycles, expected[l][0]);
    EXPECT_EQ(profile.layers[l].input_gradient_cycles, expected[l][1]);
    EXPECT_EQ(profile.layers[l].weight_gradient_cycles, expected[l][2]);
  }
  EXPECT_EQ(profile.layers[1].weight_bytes, 3 * 3 * 16 * 48 * 4);
  EXPECT_EQ(profile.values[0].activation_bytes, 32 * 224 * 224 * 16 * 4);
}

/// Reference figures R4: VGG16's 13 convolutions, batch 32, 32 x 32.
TEST(Profile, Vgg16Convolutions) {
  const Profile profile = shipped("vgg16-conv");
  EXPECT_EQ(total_cycles(profile), 1479035340);
  std::int64_t largest_fixed = 0;
  std::int64_t largest = 0;
  for (const LayerProfile& layer : profile.layers) {
    const std::int64_t fixed = layer.forward_cycles + layer.weight_gradient_cycles;
    const bool is_end = &layer == &profile.layers.front() || &layer == &profile.layers.back();
    largest = std::max(largest, fixed + layer.input_gradient_cycles);
    largest_fixed = std::max(largest_fixed, fixed + (is_end ? layer.input_gradient_cycles : 0));
  }
  EXPECT_EQ(largest_fixed, 125041976);
  EXPECT_EQ(largest, 182848112);
}

TEST(Profile, OfAChainLendsToTheNextLayer) {
  const Profile profile = shipped("vgg16");
  for (std::size_t l = 0; l + 1 < profile.layers.size(); ++l) {
    EXPECT_EQ(profile.layers[l].borrower, l + 1);
  }
  EXPECT_FALSE(profile.layers.back().borrower);
}

TEST(Profile, KnowsWhatPartsCostUnlessCostsAreGiven) {
  // conv2 of the sample network: 16 input channels, batch 32.
  const Profile profile = shipped("sample4");
  ASSERT_TRUE(profile.layers[1].input_gradient_gemms);
  EXPECT_EQ(profile.layers[1].input_gradient_gemms->channels(), 16);
  EXPECT_EQ(profile.layers[1].input_gradient_gemms->samples, 32);
  const auto measured = read::parse_network(
      "name: test\nbatch: 1\nlayers:\n"
      "  - {type: measured, forward: 1 cycles, input_gradient: 1 cycles,"
      " weight_gradient: 1 cycles, activation: 1 B, weight: 1 B}\n",
      "test.yaml");
  EXPECT_FALSE(costs::profile(test_machine(1), measured).layers[0].input_gradient_gemms);
}

TEST(Profile, TheFirstInputGradientIsAnOption) {
  const auto network =
      read::read_network(std::string(LAYERPIPE_SOURCE_DIR) + "/workloads/sample4.yaml");
  const Profile profile = costs::profile(test_machine(1), network, {true});
  // A convolution of the output's gradient with rotated filters on 32 x 32: Sr = 7 x 7 x 16 = 784
  // and Sc = 3 give 25 x 1 folds of 2 x 32 + 32 + 32 x 224 x 224 - 2 cycles.
  EXPECT_TRUE(profile.layers[0].has_input_gradient);
  EXPECT_EQ(profile.layers[0].input_gradient_cycles, 25 * (64 + 32 + 32 * 224 * 224 - 2));
}

TEST(Profile, WhatCrossesABoundaryIsTheOutputOfTheWeightlessLayersBehind) {
  const Profile profile = parsed(
      "  - {type: conv2d, out_channels: 4, kernel_size: 3, padding: 1}\n"
      "  - {type: relu}\n"
      "  - {type: maxpool2d, kernel_size: 2}\n"
      "  - {type: flatten}\n"
      "  - {type: linear, out_features: 10}\n");
  ASSERT_EQ(profile.layers.size(), 2U);
  EXPECT_EQ(profile.values[0].activation_bytes, 2 * 4 * 4 * 4 * 4);
  EXPECT_EQ(profile.values[0].gradient_bytes, 2 * 4 * 4 * 4 * 4);
}

/// One byte per max-pool output; a relu's mask (one byte per element) only where an average pool
/// hides its output; a batchnorm's normalised input.
TEST(Profile, WhatABorrowerLacksForWeightlessLayers) {
  const std::string conv = "  - {type: conv2d, out_channels: 4, kernel_size: 3, padding: 1}\n";
  const std::string next = "  - {type: conv2d, out_channels: 4, kernel_size: 1}\n";
  const std::int64_t elements = 2 * 4 * 8 * 8;
  const auto bytes = [&](const std::string& followers) {
    return parsed(conv + followers + next).layers[0].weightless_backward_bytes;
  };
  EXPECT_EQ(bytes("  - {type: relu}\n"), 0);
  EXPECT_EQ(bytes("  - {type: relu}\n  - {type: maxpool2d, kernel_size: 2}\n"), elements / 4);
  EXPECT_EQ(bytes("  - {type: relu}\n  - {type: avgpool2d, kernel_size: 2}\n"), elements);
  EXPECT_EQ(bytes("  - {type: relu}\n  - {type: adaptive_avgpool2d, output_size: 1}\n"), elements);
  EXPECT_EQ(bytes("  - {type: relu}\n  - {type: adaptive_avgpool2d, output_size: 8}\n"), 0);
  EXPECT_EQ(bytes("  - {type: batchnorm2d}\n  - {type: relu}\n"), elements * 4);
  EXPECT_EQ(bytes("  - {type: avgpool2d, kernel_size: 2}\n  - {type: relu}\n"), 0);
}

/// The signs of a relu are lost in a sum, and in what is interpolated; a concat and a repetition
/// show them. What the other branch needs is not the borrower's business.
TEST(Profile, WhatABorrowerLacksForJoins) {
  const std::string first = "  - {name: a, type: conv2d, out_channels: 4, kernel_size: 1}\n";
  const std::string conv = "  - {name: b, type: conv2d, out_channels: 4, kernel_size: 1}\n";
  const std::string next = "  - {type: conv2d, out_channels: 4, kernel_size: 1}\n";
  const std::int64_t elements = 2 * 4 * 8 * 8;
  const auto bytes = [&](const std::string& followers) {
    return parsed(first + conv + "  - {name: r, type: relu}\n" + followers + next)
        .layers[1]
        .weightless_backward_bytes;
  };
  EXPECT_EQ(bytes("  - {type: add, inputs: [r, a]}\n"), elements);
  EXPECT_EQ(bytes("  - {type: add, inputs: [r, a]}\n  - {type: relu}\n"), elements);
  EXPECT_EQ(bytes("  - {type: concat, inputs: [r, a]}\n"), 0);
  EXPECT_EQ(bytes("  - {type: upsample, scale_factor: 2}\n"), 0);
  EXPECT_EQ(bytes("  - {type: upsample, scale_factor: 2, mode: bilinear}\n"), elements);
}

/// On its own processor a group needs the same, and reads signs from its outputs where a relu
/// stands behind nothing that hides or stores them.
TEST(Profile, WhatTheOwnProcessorKeepsForWeightlessLayers) {
  const std::string conv = "  - {type: conv2d, out_channels: 4, kernel_size: 3, padding: 1}\n";
  const std::string next = "  - {type: conv2d, out_channels: 4, kernel_size: 1}\n";
  const std::int64_t elements = 2 * 4 * 8 * 8;
  const auto first = [&](const std::string& followers) {
    return parsed(conv + followers + next).layers[0];
  };
  const auto reads_output = [&](const std::string& followers) {
    return parsed(conv + followers + next).values[0].shows_signs;
  };
  EXPECT_EQ(first("").kept_weightless_bytes, 0);
  EXPECT_FALSE(reads_output(""));
  EXPECT_EQ(first("  - {type: relu}\n").kept_weightless_bytes, 0);
  EXPECT_TRUE(reads_output("  - {type: relu}\n"));
  const std::string pooled = "  - {type: relu}\n  - {type: maxpool2d, kernel_size: 2}\n";
  EXPECT_EQ(first(pooled).kept_weightless_bytes, elements / 4);
  EXPECT_TRUE(reads_output(pooled));
  const std::string averaged = "  - {type: relu}\n  - {type: avgpool2d, kernel_size: 2}\n";
  EXPECT_EQ(first(averaged).kept_weightless_bytes, elements);
  EXPECT_FALSE(reads_output(averaged));
  const std::string normalised = "  - {type: relu}\n  - {type: batchnorm2d}\n";
  EXPECT_EQ(first(normalised).kept_weightless_bytes, elements * 4);
  EXPECT_FALSE(reads_output(normalised));
  // The last group hands nothing on that would show the signs of its relu.
  const Profile profile = parsed(conv + "  - {type: relu}\n");
  EXPECT_EQ(profile.layers[0].kept_weightless_bytes, elements);
  EXPECT_EQ(profile.layers[0].loss_gradient_bytes, elements * 4);
}

/// Of several outputs, signs are read from the relu's own or, if that is none, from one behind it;
/// the others need not be kept for that.
TEST(Profile, SignsAreReadFromOneOutput) {
  const std::string convs =
      "  - {name: b, type: conv2d, inputs: r, out_channels: 4, kernel_size: 1}\n"
      "  - {type: add, inputs: [b, side]}\n  - {type: conv2d, out_channels: 1, kernel_size: 1}\n";
  const std::string own =
      "  - {name: a, type: conv2d, out_channels: 4, kernel_size: 1}\n"
      "  - {name: r, type: relu}\n"
      "  - {name: side, type: maxpool2d, inputs: a, kernel_size: 1}\n";
  const Profile profile = parsed(own + convs);
  ASSERT_EQ(profile.values[0].layer, 0U);
  ASSERT_EQ(profile.values[1].layer, 0U);
  EXPECT_TRUE(profile.values[0].shows_signs);   // r
  EXPECT_FALSE(profile.values[1].shows_signs);  // side
}

/// A convolution of 3 x 4 x 3 x 3 weights and 4 biases, a batchnorm with 4 scales and 4 shifts.
TEST(Profile, ParametersAreThoseOfTheGroup) {
  const Profile profile = parsed(
      "  - {type: conv2d, out_channels: 4, kernel_size: 3}\n"
      "  - {type: batchnorm2d}\n");
  EXPECT_EQ(profile.layers[0].parameter_bytes, (3 * 4 * 3 * 3 + 4 + 8) * 4);
  EXPECT_EQ(profile.layers[0].parameter_gradient_bytes, (3 * 4 * 3 * 3 + 4 + 8) * 4);
}

/// Two samples of 3 x 8 x 8 elements of 4 bytes; behind the pool, of 3 x 4 x 4.
TEST(Profile, WhatIsMadeOfTheNetworksInputAloneIsAnInput) {
  const Profile profile = parsed(
      "  - {name: p, type: maxpool2d, kernel_size: 2}\n"
      "  - {name: a, type: conv2d, out_channels: 3, kernel_size: 1, inputs: [p]}\n"
      "  - {name: b, type: conv2d, out_channels: 3, kernel_size: 1, inputs: [p]}\n"
      "  - {name: c, type: conv2d, out_channels: 3, kernel_size: 1, stride: 2, inputs: [input]}\n"
      "  - {name: s, type: add, inputs: [a, b, c, p]}\n");
  ASSERT_EQ(profile.network_inputs.size(), 2U);
  EXPECT_EQ(profile.network_inputs[0].bytes, 2 * 3 * 4 * 4 * 4);
  ASSERT_EQ(profile.network_inputs[0].uses.size(), 3U);
  EXPECT_TRUE(profile.network_inputs[0].uses[1].by_gemm);
  EXPECT_EQ(profile.network_inputs[0].uses[2].layer, 2U);
  EXPECT_FALSE(profile.network_inputs[0].uses[2].by_gemm);
  EXPECT_EQ(profile.network_inputs[1].bytes, 2 * 3 * 8 * 8 * 4);
}

/// Images of 8 x 8, two samples, 4 bytes: a value of c channels has 512 c bytes.
TEST(Profile, OfAGraphKnowsWhatPassesBetweenItsLayers) {
  const Profile profile = parsed(
      "  - {name: a, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {name: r, type: relu}\n"
      "  - {name: b, type: conv2d, out_channels: 3, kernel_size: 1}\n"
      "  - {name: c, type: conv2d, out_channels: 2, kernel_size: 1, inputs: r}\n"
      "  - {name: s, type: add, inputs: [c, r]}\n"
      "  - {name: d, type: conv2d, out_channels: 1, kernel_size: 1, inputs: s}\n"
      "  - {name: k, type: concat, inputs: [d, b, input]}\n");
  ASSERT_EQ(profile.values.size(), 3U);
  const costs::Value& r = profile.values[0];  // used by b, by c, and by the sum behind c
  EXPECT_EQ(r.layer, 0U);
  EXPECT_EQ(r.activation_bytes, 1024);
  ASSERT_EQ(r.uses.size(), 2U);
  EXPECT_TRUE(r.uses[0].layer == 1 && r.uses[0].by_gemm && !r.uses[0].by_others);
  EXPECT_TRUE(r.uses[1].layer == 2 && r.uses[1].by_gemm && r.uses[1].by_others);
  const costs::Value& b = profile.values[1];  // used by the concat, which travels with d
  EXPECT_EQ(b.layer, 1U);
  ASSERT_EQ(b.uses.size(), 1U);
  EXPECT_TRUE(b.uses[0].layer == 3 && !b.uses[0].by_gemm && b.uses[0].by_others);
  EXPECT_EQ(profile.values[2].layer, 2U);  // the sum
  EXPECT_EQ(profile.layers[0].borrower, 1U);
  EXPECT_EQ(profile.layers[1].borrower, 3U);  // first used two layers further on
  EXPECT_EQ(profile.layers[2].borrower, 3U);
  EXPECT_FALSE(profile.layers[3].borrower);
  EXPECT_FALSE(profile.layers[0].has_input_gradient);
  EXPECT_EQ(profile.layers[2].input_gradient_bytes, 1024);
  for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(profile.layers[l].has_loss, l == 3) << l;
  const auto crossing = boundaries(profile);
  EXPECT_EQ(crossing[0].activation_bytes, 0);
  EXPECT_EQ(crossing[1].activation_bytes, 1024);         // r
  EXPECT_EQ(crossing[2].activation_bytes, 1024 + 1536);  // r, b
  EXPECT_EQ(crossing[3].gradient_bytes, 1024 + 1536);    // the sum, b
}

/// A value that layers of its own group use as well, and a group with two outputs, cannot be lent;
/// what nobody takes is an output of the network.
TEST(Profile, KnowsWhoCannotLend) {
  const Profile profile = parsed(
      "  - {name: a, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {name: b, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {name: r, type: relu}\n"
      "  - {name: c, type: conv2d, out_channels: 2, kernel_size: 1, inputs: r}\n"
      "  - {name: head, type: relu}\n"
      "  - {name: d, type: conv2d, out_channels: 2, kernel_size: 1, inputs: c}\n"
      "  - {type: add, inputs: [d, b]}\n");
  EXPECT_EQ(profile.layers[0].borrower, 1U);
  EXPECT_FALSE(profile.layers[1].borrower);
  EXPECT_TRUE(profile.values[1].used_within);
  EXPECT_FALSE(profile.layers[2].borrower);
  EXPECT_TRUE(profile.layers[2].has_loss);
}

/// Both branches begin at the network's input: neither needs a gradient there.
TEST(Profile, NoLayerOnTheInputAloneHasAnInputGradient) {
  const Profile profile = parsed(
      "  - {name: p, type: maxpool2d, kernel_size: 1}\n"
      "  - {name: a, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {name: b, type: conv2d, out_channels: 2, kernel_size: 1, inputs: input}\n"
      "  - {name: s, type: add, inputs: [a, b]}\n"
      "  - {name: c, type: conv2d, out_channels: 2, kernel_size: 1}\n");
  EXPECT_FALSE(profile.layers[0].has_input_gradient);
  EXPECT_FALSE(profile.layers[1].has_input_gradient);
  EXPECT_EQ(profile.layers[1].input_gradient_cycles, 0);
  EXPECT_TRUE(profile.layers[2].has_input_gradient);
}

TEST(Profile, GivenCostsAreTakenAsGiven) {
  const auto network = read::parse_network(
      "name: given\n"
      "layers:\n"
      "  - {name: a, type: measured, forward: 10 us, input_gradient: 20 us, weight_gradient: "
      "30 us, activation: 4 kB, weight: 1 kB}\n"
      "  - {name: b, type: measured, forward: 7 cycles, input_gradient: 8 cycles, "
      "weight_gradient: 9 cycles, activation: 2 kB, weight: 3 kB}\n",
      "given.yaml");
  const Profile profile = costs::profile(test_machine(2), network);
  EXPECT_EQ(profile.layers[0].forward_cycles, 10000);
  EXPECT_EQ(profile.layers[0].input_gradient_cycles, 0);  // the first layer needs none
  EXPECT_EQ(profile.layers[0].weight_gradient_cycles, 30000);
  EXPECT_EQ(profile.values[0].activation_bytes, 4000);
  EXPECT_EQ(profile.values[0].gradient_bytes, 4000);
  EXPECT_EQ(profile.layers[1].input_gradient_cycles, 8);
  EXPECT_EQ(profile.layers[1].weight_bytes, 3000);
  EXPECT_EQ(total_cycles(profile), 10000 + 30000 + 7 + 8 + 9);
}

}  // namespace
}  // namespace layerpipe::tests
