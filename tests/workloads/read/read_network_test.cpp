#include "workloads/read/read_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "workloads/base/error.hpp"

namespace layerpipe::read {
namespace {

using namespace base;
using namespace network;

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr std::string_view small_network =
    "name: small\n"
    "batch: 8\n"
    "input: {channels: 3, height: 32, width: 16}\n"
    "layers:\n"
    "  - {type: conv2d, out_channels: 4, kernel_size: 3, padding: 1}\n"
    "  - {type: relu}\n"
    "  - {type: flatten}\n"
    "  - {name: head, type: linear, out_features: 10}\n";

constexpr std::string_view measured_network =
    "layers:\n"
    "  - {name: a, type: measured, forward: 10 ms, input_gradient: 10 ms,\n"
    "     weight_gradient: 10 ms, activation: 4 MB, weight: 1 MB}\n";

/// small_network, with `from` replaced by `to`.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(small_network);
  return text.replace(text.find(from), from.size(), to);
}

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { (void)parse_network(text, "dir/net.yaml"); },
              ThrowsMessage<InputError>(message))
      << text;
}

TEST(ReadNetwork, ReadsAndInfersShapes) {
  const Network network = parse_network(small_network, "net.yaml");
  EXPECT_EQ(network.name, "small");
  EXPECT_EQ(network.batch, 8);
  EXPECT_EQ(network.input, (Shape{3, 32, 16}));
  EXPECT_EQ(network.element_bytes.activation, 4);
  EXPECT_EQ(network.element_bytes.weight, 4);
  EXPECT_EQ(network.element_bytes.gradient, 4);
  ASSERT_EQ(network.layers.size(), 4U);
  EXPECT_EQ(network.layers[0].output, (Shape{4, 32, 16}));
  EXPECT_EQ(network.layers[3].input, (Shape{4 * 32 * 16, 1, 1}));
  EXPECT_EQ(network.layers[3].output, (Shape{10, 1, 1}));
}

TEST(ReadNetwork, TakesFeaturesAsInput) {
  const Network network = parse_network(
      "batch: 1\ninput: {features: 784}\nlayers: [{type: linear, out_features: 10}]", "f");
  EXPECT_EQ(network.input, (Shape{784, 1, 1}));
}

TEST(ReadNetwork, ReadsBytesPerElement) {
  const std::string all = "bytes_per_element: {activations: 2, weights: 1, gradients: 8}\nlayers:";
  const ElementBytes bytes = parse_network(changed("layers:", all), "f").element_bytes;
  EXPECT_EQ(bytes.activation, 2);
  EXPECT_EQ(bytes.weight, 1);
  EXPECT_EQ(bytes.gradient, 8);
  const std::string one = "bytes_per_element: {weights: 2}\nlayers:";
  const ElementBytes defaults = parse_network(changed("layers:", one), "f").element_bytes;
  EXPECT_EQ(defaults.activation, 4);
  EXPECT_EQ(defaults.weight, 2);
}

TEST(ReadNetwork, NamesNamelessLayersByTypeAndCount) {
  const Network network = parse_network(
      "batch: 1\ninput: {features: 4}\nlayers:\n"
      "  - {type: linear, out_features: 4}\n  - {type: relu}\n"
      "  - {type: linear, name: caf\u00E9, out_features: 4}\n  - {type: relu}\n"
      "  - {type: linear, out_features: 4}\n",
      "f");
  const std::vector<std::string> expected{"linear_1", "relu_1", "caf\u00E9", "relu_2", "linear_3"};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(network.layers[i].name, expected[i]);
  }
}

TEST(ReadNetwork, TakesTheFilesNameAsDefault) {
  EXPECT_EQ(parse_network(changed("name: small\n", ""), "dir/tiny.yaml").name, "tiny");
  EXPECT_THAT([] { (void)parse_network(changed("name: small\n", ""), "a\nb.yaml"); },
              ThrowsMessage<InputError>(HasSubstr("the file's name cannot be the network's name "
                                                  "(expected the key 'name')")));
}

TEST(ReadNetwork, ReadsFiles) {
  const std::string path = testing::TempDir() + "layerpipe_read_network_test.yaml";
  std::ofstream(path) << small_network;
  EXPECT_EQ(read_network(path).layers.size(), 4U);
  std::ofstream(path) << "layers: 5\n";
  EXPECT_THAT([&] { (void)read_network(path); },
              ThrowsMessage<InputError>(
                  path + ":1:9: layers is unquoted text (expected a list of layers)"));
  std::filesystem::remove(path);
  EXPECT_THAT([&] { (void)read_network(path); },
              ThrowsMessage<InputError>(StartsWith(path + ": cannot be read: ")));
}

// Some 20 MB, of which no more is read than is allowed.
TEST(ReadNetwork, RefusesAMillionLayers) {
  const std::string path = testing::TempDir() + "layerpipe_million_layers.yaml";
  {
    std::ofstream file(path);
    file << small_network;
    for (int i = 0; i < 1'000'000; ++i) file << "  - {type: relu}\n";
  }
  EXPECT_THAT([&] { (void)read_network(path); },
              ThrowsMessage<InputError>(path + ": too large (expected at most 2,097,152 bytes)"));
  std::filesystem::remove(path);
}

TEST(ReadNetwork, AcceptsWindowsFiles) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : small_network) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse_network(text, "f").name, "small");
}

TEST(ReadNetwork, RefusesUnknownAndMissingKeys) {
  expect_refused(changed("batch", "bacth"),
                 "dir/net.yaml:2:1: unknown key 'bacth' (nearest: batch)");
  expect_refused(changed("batch: 8\n", ""),
                 "dir/net.yaml:1:1: missing key 'batch' (expected in the file)");
  expect_refused(changed("input: {channels: 3, height: 32, width: 16}\n", ""),
                 "dir/net.yaml:1:1: missing key 'input' (expected in the file)");
  expect_refused("batch: 1\n", "dir/net.yaml:1:1: missing key 'layers' (expected in the file)");
  expect_refused(changed("channels", "chanels"),
                 "dir/net.yaml:3:9: unknown key 'chanels' (nearest: channels)");
  expect_refused(changed("channels: 3, ", ""),
                 "dir/net.yaml:3:8: missing key 'channels' (expected in input)");
  expect_refused(changed("channels: 3", "features: 3"),
                 "dir/net.yaml:3:22: unknown key 'height' (expected features)");
  expect_refused(changed("{channels: 3, height: 32, width: 16}", "784"),
                 "dir/net.yaml:3:8: input is unquoted text (expected a mapping of keys to values)");
}

TEST(ReadNetwork, RefusesDuplicateKeys) {
  expect_refused(changed("batch: 8\n", "batch: 8\nbatch: 16\n"),
                 "dir/net.yaml:3:1: duplicate key 'batch' (expected each key once)");
}

TEST(ReadNetwork, RefusesStrangeNumbers) {
  const std::string expected = " (expected 1 to 1,000,000,000)";
  const auto batch = [](std::string_view value) {
    return changed("batch: 8", "batch: " + std::string(value));
  };
  const std::string where = "dir/net.yaml:2:8: batch: ";
  expect_refused(batch("010"), where + "'010' has a leading zero" + expected);
  expect_refused(batch("1e3"), where + "'1e3' is not a whole number" + expected);
  expect_refused(batch("-8"), where + "'-8' is negative" + expected);
  expect_refused(batch(".nan"), where + "'.nan' is not a whole number" + expected);
  expect_refused(batch("0"), where + "'0' is out of range" + expected);
  expect_refused(batch("1000000000000000000000000000000"),
                 where + "'1000000000000000000000000000000' is out of range" + expected);
  expect_refused(changed("layers:", "bytes_per_element: {weights: 65}\nlayers:"),
                 "dir/net.yaml:4:30: weights: '65' is out of range (expected 1 to 64)");
}

TEST(ReadNetwork, RefusesLayersThatDoNotFit) {
  expect_refused(changed("  - {type: flatten}\n", ""),
                 "dir/net.yaml:7:5: layer 'head': a linear layer gets an image of 4 x 32 x 16 "
                 "(expected features; add a flatten layer before it)");
  expect_refused(
      changed("kernel_size: 3, padding: 1", "kernel_size: 17"),
      "dir/net.yaml:5:5: layer 'conv2d_1': a window of 17 x 17 does not fit (expected at "
      "most the padded input of 32 x 16)");
}

TEST(ReadNetwork, ReadsGraphs) {
  const Network network = parse_network(
      "batch: 1\n"
      "input: {channels: 4, height: 8, width: 8}\n"
      "layers:\n"
      "  - {name: stem, type: conv2d, out_channels: 4, kernel_size: 3, padding: 1}\n"
      "  - {name: sum, type: add, inputs: [stem, input]}\n"
      "  - {type: upsample, scale_factor: 2}\n"
      "  - {name: all, type: concat, inputs: [upsample_1, upsample_1]}\n",
      "f");
  EXPECT_EQ(network.layers[1].output, (Shape{4, 8, 8}));
  EXPECT_EQ(network.layers[1].inputs, (std::vector{std::size_t{0}, Layer::network_input}));
  EXPECT_EQ(network.layers[3].output, (Shape{8, 16, 16}));
  EXPECT_EQ(network.layers[3].inputs, (std::vector<std::size_t>{2, 2}));
}

TEST(ReadNetwork, RefusesNetworksWithoutWeights) {
  const std::string wrong =
      "no layer has weights (expected at least one conv2d, conv_transpose2d, linear or measured "
      "layer)";
  expect_refused("batch: 1\ninput: {features: 1}\nlayers: []\n", "dir/net.yaml:3:9: " + wrong);
  expect_refused("batch: 1\ninput: {features: 1}\nlayers:\n  - {type: relu}\n",
                 "dir/net.yaml:4:3: " + wrong);
}

TEST(ReadNetwork, RefusesNamesThatAreThereTwice) {
  expect_refused(changed("{type: relu}", "{type: relu, name: head}"),
                 "dir/net.yaml:8:5: layer name 'head' is that of layer 2 as well (expected unique "
                 "names)");
  expect_refused(changed("name: head, ", "") + "  - {type: relu, name: linear_1}\n",
                 "dir/net.yaml:9:5: layer name 'linear_1' is that of layer 4 as well (expected "
                 "unique names)");
  expect_refused(
      changed("{type: relu}", "{type: relu, name: flatten_1}"),
      "dir/net.yaml:7:5: layer name 'flatten_1', the default, is that of layer 2 as well "
      "(expected unique names)");
}

/// A linear layer whose input takes 8 MB for each sample, and its output as much.
std::string wide_network(std::int64_t batch) {
  return "batch: " + std::to_string(batch) +
         "\ninput: {features: 1000000}\nlayers:\n  - {type: linear, out_features: 1000000}\n";
}

TEST(ReadNetwork, RefusesSizesThatCannotBeCounted) {
  const std::string limit = " too large (expected at most 9,007,199,254,740,991)";
  expect_refused(changed("channels: 3, height: 32", "channels: 1000000000, height: 1000000000"),
                 "dir/net.yaml:3:8: number of elements of the input" + limit);
  expect_refused(
      "batch: 1\ninput: {features: 1000000000}\n"
      "layers: [{type: linear, out_features: 1000000000}]\n",
      "dir/net.yaml:3:10: layer 'linear_1': number of weights" + limit);
  expect_refused(wide_network(1'000'000'000),
                 "dir/net.yaml:4:5: layer 'linear_1': bytes of all layers up to this one" + limit);
}

TEST(ReadNetwork, ReplacesTheBatch) {
  EXPECT_EQ(parse_network(small_network, "f", 64).batch, 64);
  EXPECT_THAT(
      [] { (void)parse_network(small_network, "f", 0); },
      ThrowsMessage<UsageError>("a batch of 0 is out of range (expected 1 to 1,000,000,000)"));
  EXPECT_THAT([] { (void)parse_network(wide_network(1), "f", 1'000'000'000); },
              ThrowsMessage<InfeasibleError>(
                  "f:4:5: with a batch of 1000000000, layer 'linear_1': bytes of all layers up to "
                  "this one too large (expected at most 9,007,199,254,740,991)"));
}

TEST(ReadNetwork, ReadsMeasuredNetworks) {
  const Network network = parse_network(measured_network, "dir/given.yaml");
  EXPECT_EQ(network.name, "given");
  EXPECT_EQ(network.batch, 1);
  ASSERT_EQ(network.layers.size(), 1U);
  EXPECT_EQ(network.layers[0].measured.forward, (Duration{0, 10e-3}));
  EXPECT_EQ(network.layers[0].measured.weight_bytes, 1'000'000);
  EXPECT_TRUE(is_measured(network));

  const std::string with_input = "batch: 32\ninput: {features: 5}\n";
  EXPECT_EQ(parse_network(with_input + std::string(measured_network), "f").batch, 32);
}

TEST(ReadNetwork, RefusesWhatMeasuredNetworksDoNotHave) {
  EXPECT_THAT([] { (void)parse_network(measured_network, "f", 16); },
              ThrowsMessage<InfeasibleError>("f: the batch of measured layers cannot be changed "
                                             "(their costs are given for a whole minibatch)"));
  const std::string measured(measured_network);
  expect_refused(
      "bytes_per_element: {weights: 2}\n" + measured,
      "dir/net.yaml:1:20: bytes_per_element has no meaning for measured layers (expected "
      "no such key)");
  expect_refused(measured + "  - {type: relu}\n",
                 "dir/net.yaml:4:5: a relu layer in a network that begins with a measured layer "
                 "(expected measured layers only, or none)");
}

}  // namespace
}  // namespace layerpipe::read
