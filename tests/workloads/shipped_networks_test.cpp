// The networks that are shipped in workloads/, against figures from outside, and those in the page
// about their format.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/network/training_gemms.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {
namespace {

using namespace network;
using namespace read;

using testing::ElementsAre;

Network shipped(const std::string& name) {
  return read_network(LAYERPIPE_SOURCE_DIR "/workloads/" + name + ".yaml");
}

std::int64_t parameters(const Network& network) {
  return std::transform_reduce(network.layers.begin(), network.layers.end(), std::int64_t{0},
                               std::plus<>(), parameter_count);
}

std::int64_t count(const Network& network, LayerType type) {
  return std::count_if(network.layers.begin(), network.layers.end(),
                       [&](const Layer& layer) { return layer.type == type; });
}

/// Multiply-accumulates of the forward pass of one sample, in units of 10^6, rounded.
std::int64_t mega_macs(const Network& network) {
  std::int64_t result = 0;
  for (const Layer& layer : network.layers) {
    if (!has_gemm(layer)) continue;
    const Gemm gemm = forward_gemm(layer, 1, InputGradientMapping::gemm);
    result += layer.groups * gemm.m * gemm.k * gemm.n;
  }
  return (result + 500'000) / 1'000'000;
}

const Layer& named(const Network& network, std::string_view name) {
  const auto found = std::find_if(network.layers.begin(), network.layers.end(),
                                  [&](const Layer& layer) { return layer.name == name; });
  if (found == network.layers.end()) throw std::out_of_range(std::string(name));
  return *found;
}

std::vector<std::string> input_names(const Network& network, std::string_view name) {
  std::vector<std::string> result;
  for (const std::size_t input : named(network, name).inputs) {
    result.push_back(network.layers.at(input).name);
  }
  return result;
}

const Layer& last(const Network& network) { return network.layers.back(); }

// 224 x 224 x 3, batch 32, kernels 7, 3, 3, 3, strides 1, 2, 2, 1, padding k/2, channels 16, 48,
// 64, 128: the definition of the sample network.
TEST(ShippedNetworks, Sample4) {
  const Network network = shipped("sample4");
  EXPECT_EQ(network.name, "sample4");
  EXPECT_EQ(network.batch, 32);
  EXPECT_EQ(network.input, (Shape{3, 224, 224}));
  const std::vector<Shape> outputs{{16, 224, 224}, {48, 112, 112}, {64, 56, 56}, {128, 56, 56}};
  const std::vector<std::int64_t> kernels{7, 3, 3, 3};
  ASSERT_EQ(network.layers.size(), outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(network.layers[i].output, outputs[i]) << i;
    EXPECT_EQ(network.layers[i].window.kernel, (Extent{kernels[i], kernels[i]})) << i;
  }
}

// torchvision.models.alexnet and vgg16: their documented numbers of parameters.
TEST(ShippedNetworks, AlexNet) {
  const Network network = shipped("alexnet");
  EXPECT_EQ(network.batch, 32);
  EXPECT_EQ(parameters(network), 61'100'840);
  EXPECT_EQ(count(network, LayerType::conv2d), 5);
  EXPECT_EQ(last(network).output, (Shape{1000, 1, 1}));
}

TEST(ShippedNetworks, Vgg16) {
  const Network network = shipped("vgg16");
  EXPECT_EQ(network.batch, 32);
  EXPECT_EQ(parameters(network), 138'357'544);
  EXPECT_EQ(count(network, LayerType::conv2d), 13);
  EXPECT_EQ(count(network, LayerType::linear), 3);
  EXPECT_EQ(last(network).output, (Shape{1000, 1, 1}));
}

// VGG16 without its three linear layers: 138,357,544 less 25088 * 4096 + 4096, 4096 * 4096 + 4096
// and 4096 * 1000 + 1000. Five pools halve 224 to 7.
TEST(ShippedNetworks, Vgg16Convolutions) {
  const Network network = shipped("vgg16-conv");
  EXPECT_EQ(network.batch, 32);
  EXPECT_EQ(parameters(network), 14'714'688);
  EXPECT_EQ(count(network, LayerType::conv2d), 13);
  EXPECT_EQ(count(network, LayerType::relu), 13);
  EXPECT_EQ(count(network, LayerType::maxpool2d), 5);
  EXPECT_EQ(last(network).output, (Shape{512, 7, 7}));
}

// 784 * 1024 + 1024 + 2 (1024 * 1024 + 1024) + 1024 * 10 + 10.
TEST(ShippedNetworks, Mlp) {
  const Network network = shipped("mlp");
  EXPECT_EQ(parameters(network), 2'913'290);
  EXPECT_EQ(last(network).output, (Shape{10, 1, 1}));
}

// torchvision documents 25,557,032 parameters and 4.089 GFLOPS (multiply-accumulates, in its
// source) for resnet50. It has 1 + 16 * 3 convolutions and 4 projections; a block ends at 256, 512,
// 1024 or 2048 channels.
TEST(ShippedNetworks, ResNet50) {
  const Network network = shipped("resnet50");
  EXPECT_EQ(network.batch, 32);
  EXPECT_EQ(parameters(network), 25'557'032);
  EXPECT_EQ(mega_macs(network), 4089);
  EXPECT_EQ(count(network, LayerType::conv2d), 53);
  EXPECT_EQ(count(network, LayerType::batchnorm2d), 53);
  EXPECT_EQ(count(network, LayerType::relu), 49);
  EXPECT_EQ(count(network, LayerType::add), 16);
  EXPECT_EQ(named(network, "layer1.2").output, (Shape{256, 56, 56}));
  EXPECT_EQ(named(network, "layer2.0").output, (Shape{512, 28, 28}));
  EXPECT_EQ(named(network, "layer4.2").output, (Shape{2048, 7, 7}));
  EXPECT_EQ(named(network, "layer2.0.conv1").window.stride, (Extent{1, 1}));
  EXPECT_EQ(named(network, "layer2.0.conv2").window.stride, (Extent{2, 2}));
  EXPECT_THAT(input_names(network, "layer2.0.downsample.0"), ElementsAre("layer1.2"));
  EXPECT_THAT(input_names(network, "layer2.0.add"),
              ElementsAre("layer2.0.bn3", "layer2.0.downsample.1"));
  EXPECT_THAT(input_names(network, "layer2.1.add"), ElementsAre("layer2.1.bn3", "layer2.0"));
  EXPECT_EQ(last(network).output, (Shape{1000, 1, 1}));
}

// The same of resnet18: 11,689,512 parameters, 1.814 GFLOPS; 1 + 8 * 2 convolutions and 3
// projections, since the first stage begins with as many channels as it ends.
TEST(ShippedNetworks, ResNet18) {
  const Network network = shipped("resnet18");
  EXPECT_EQ(network.batch, 32);
  EXPECT_EQ(parameters(network), 11'689'512);
  EXPECT_EQ(mega_macs(network), 1814);
  EXPECT_EQ(count(network, LayerType::conv2d), 20);
  EXPECT_EQ(count(network, LayerType::relu), 17);
  EXPECT_EQ(count(network, LayerType::add), 8);
  EXPECT_EQ(named(network, "layer4.1").output, (Shape{512, 7, 7}));
  EXPECT_THAT(input_names(network, "layer1.0.add"), ElementsAre("layer1.0.bn2", "maxpool"));
  EXPECT_THAT(input_names(network, "layer2.0.downsample.0"), ElementsAre("layer1.1"));
  EXPECT_EQ(last(network).output, (Shape{1000, 1, 1}));
}

// The same of mobilenet_v2: 3,504,872 parameters, 0.301 GFLOPS. Of its 17 blocks the first has two
// convolutions and the others three; 10 keep their shape and have a shortcut.
TEST(ShippedNetworks, MobileNetV2) {
  const Network network = shipped("mobilenet_v2");
  EXPECT_EQ(network.batch, 32);
  EXPECT_EQ(parameters(network), 3'504'872);
  EXPECT_EQ(mega_macs(network), 301);
  EXPECT_EQ(count(network, LayerType::conv2d), 52);
  EXPECT_EQ(count(network, LayerType::add), 10);
  EXPECT_EQ(std::count_if(network.layers.begin(), network.layers.end(),
                          [](const Layer& layer) {
                            return layer.groups > 1 && layer.groups == layer.out_channels;
                          }),
            17);
  EXPECT_EQ(named(network, "features.17.conv.3").output, (Shape{320, 7, 7}));
  EXPECT_THAT(input_names(network, "features.3"),
              ElementsAre("features.3.conv.3", "features.2.conv.3"));
  EXPECT_EQ(last(network).output, (Shape{1000, 1, 1}));
}

// Users of that source report 31,037,698 parameters for two classes. By hand: a pair of 3 x 3
// convolutions to c channels from i has 9 c (i + c) weights and 4 c parameters of its batchnorms,
// with (i, c) of (3, 64), (64, 128), (128, 256), (256, 512), (512, 1024) down, and of (2 c, c) up
// for c of 512, 256, 128, 64; going up to c channels takes 4 * 2 c * c + c; the end 64 * 2 + 2.
TEST(ShippedNetworks, UNet) {
  const Network network = shipped("unet");
  EXPECT_EQ(network.input, (Shape{3, 256, 256}));
  EXPECT_EQ(parameters(network), 31'037'698);
  EXPECT_EQ(count(network, LayerType::conv2d), 19);
  EXPECT_EQ(count(network, LayerType::conv_transpose2d), 4);
  EXPECT_EQ(count(network, LayerType::concat), 4);
  EXPECT_EQ(named(network, "down4.maxpool_conv.1.double_conv.5").output, (Shape{1024, 16, 16}));
  EXPECT_EQ(named(network, "up1.up").output, (Shape{512, 32, 32}));
  EXPECT_EQ(named(network, "up4.cat").output, (Shape{128, 256, 256}));
  EXPECT_THAT(input_names(network, "up4.cat"), ElementsAre("inc.double_conv.5", "up4.up"));
  EXPECT_THAT(input_names(network, "up2.cat"),
              ElementsAre("down2.maxpool_conv.1.double_conv.5", "up2.up"));
  EXPECT_EQ(last(network).output, (Shape{2, 256, 256}));
}

/// The blocks of indented lines of a page.
std::vector<std::string> examples(const std::string& path) {
  std::ifstream page(path);
  std::vector<std::string> result;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    const bool is_indented = line.starts_with("    ");
    if (is_indented && !is_inside) result.emplace_back();
    if (is_indented) result.back() += line.substr(4) + "\n";
    is_inside = is_indented;
  }
  return result;
}

// conv2 gets 16 x 16 x 16 and gives 32 x 8 x 14; the head gets 32 * 4 * 4 features.
TEST(FormatPage, HasExamplesThatCanBeRead) {
  const auto blocks = examples(LAYERPIPE_SOURCE_DIR "/docs/formats/workload.md");
  ASSERT_GE(blocks.size(), 3U);
  const Network tiny = parse_network(blocks[0], "workload.md");
  EXPECT_EQ(tiny.name, "tiny");
  EXPECT_EQ(tiny.layers[4].output, (Shape{32, 8, 14}));
  EXPECT_EQ(last(tiny).input, (Shape{512, 1, 1}));
  EXPECT_EQ(last(parse_network(blocks[1], "workload.md")).output, (Shape{128, 28, 28}));
  EXPECT_TRUE(is_measured(parse_network(blocks[2], "workload.md")));
}

}  // namespace
}  // namespace layerpipe::tests
