// The networks that are shipped in workloads/, against figures from outside, and those in the page
// about their format.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "workloads/read_network.hpp"

namespace layerpipe::workloads {
namespace {

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
  ASSERT_GE(blocks.size(), 2U);
  const Network tiny = parse_network(blocks[0], "workload.md");
  EXPECT_EQ(tiny.name, "tiny");
  EXPECT_EQ(tiny.layers[4].output, (Shape{32, 8, 14}));
  EXPECT_EQ(last(tiny).input, (Shape{512, 1, 1}));
  EXPECT_TRUE(is_measured(parse_network(blocks[1], "workload.md")));
}

}  // namespace
}  // namespace layerpipe::workloads
