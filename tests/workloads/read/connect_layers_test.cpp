#include "workloads/read/connect_layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::read {
namespace {

using namespace network;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A network of measured layers, which begin with what `beginnings` say; the first one on line 2.
std::string network_with(const std::vector<std::string>& beginnings) {
  std::string text = "layers:\n";
  for (const std::string& beginning : beginnings) {
    text += "  - {" + beginning +
            "type: measured, forward: 0, input_gradient: 0, weight_gradient: 0, activation: 0, "
            "weight: 0}\n";
  }
  return text;
}

Network read(const std::vector<std::string>& beginnings) {
  return parse_network(network_with(beginnings), "f");
}

void expect_refused(const std::vector<std::string>& beginnings, const std::string& message) {
  EXPECT_THAT([&] { (void)read(beginnings); }, ThrowsMessage<InputError>(message));
}

std::vector<std::string> names(const Network& network) {
  std::vector<std::string> result;
  for (const Layer& layer : network.layers) result.push_back(layer.name);
  return result;
}

/// Names of what feeds the layer in a place of the order of execution.
std::vector<std::string> inputs(const Network& network, std::size_t place) {
  std::vector<std::string> result;
  for (const std::size_t input : network.layers[place].inputs) {
    result.push_back(input == Layer::network_input ? "input" : network.layers[input].name);
  }
  return result;
}

TEST(ConnectLayers, TakesTheLayerBeforeIfNoneIsNamed) {
  const Network network = read({"name: a, ", "name: b, ", "name: c, "});
  EXPECT_THAT(inputs(network, 0), ElementsAre("input"));
  EXPECT_THAT(inputs(network, 1), ElementsAre("a"));
  EXPECT_THAT(inputs(network, 2), ElementsAre("b"));
}

TEST(ConnectLayers, TakesTheLayersThatAreNamed) {
  const Network network = read({"name: a, ", "name: b, inputs: input, ", "name: c, inputs: [a], ",
                                "name: 'd, e', inputs: [c, a, input, c], ",
                                "name: caf\u00E9, inputs: 'd, e', ", "inputs: \"caf\u00E9\", "});
  EXPECT_THAT(inputs(network, 1), ElementsAre("input"));
  EXPECT_THAT(inputs(network, 2), ElementsAre("a"));
  EXPECT_THAT(inputs(network, 3), ElementsAre("c", "a", "input", "c"));
  EXPECT_THAT(inputs(network, 4), ElementsAre("d, e"));
  EXPECT_THAT(inputs(network, 5), ElementsAre("caf\u00E9"));
}

// In the file c stands before its input b. Without `inputs`, b takes the layer before it: a.
TEST(ConnectLayers, PutsLayersIntoTheOrderOfExecution) {
  const Network network = read({"name: c, inputs: b, ", "name: a, inputs: input, ", "name: b, "});
  EXPECT_THAT(names(network), ElementsAre("a", "b", "c"));
  EXPECT_THAT(inputs(network, 0), ElementsAre("input"));
  EXPECT_THAT(inputs(network, 1), ElementsAre("a"));
  EXPECT_THAT(inputs(network, 2), ElementsAre("b"));
}

// The second layer of the file has the default name measured_2, and is executed first.
TEST(ConnectLayers, CountsDefaultNamesInTheFilesOrder) {
  const Network network = read({"inputs: measured_2, ", "inputs: input, "});
  EXPECT_THAT(names(network), ElementsAre("measured_2", "measured_1"));
}

TEST(ConnectLayers, ReportsLaterProblemsWhereTheLayerStandsInTheFile) {
  const std::string text =
      "batch: 1\n"
      "input: {features: 4}\n"
      "layers:\n"
      "  - {name: late, inputs: early, type: maxpool2d, kernel_size: 2}\n"
      "  - {name: early, inputs: input, type: linear, out_features: 4}\n";
  EXPECT_THAT([&] { (void)parse_network(text, "f"); },
              ThrowsMessage<InputError>(
                  "f:4:5: layer 'late': a maxpool2d layer gets 4 features (expected an image)"));
}

TEST(ConnectLayers, RefusesUnknownNames) {
  expect_refused({"name: conv1, ", "name: b, inputs: [conv1, cnv1], "},
                 "f:3:31: inputs: there is no layer 'cnv1' (nearest: 'conv1')");
  expect_refused({"name: conv1, ", "name: b, inputs: inptu, "},
                 "f:3:23: inputs: there is no layer 'inptu' (nearest: 'input')");
  expect_refused({"name: conv1, ", "name: b, inputs: elsewhere, "},
                 "f:3:23: inputs: there is no layer 'elsewhere' (expected the name of a layer, or "
                 "input)");
}

TEST(ConnectLayers, RefusesWhatIsNoName) {
  expect_refused({"inputs: {}, "},
                 "f:2:14: inputs is a mapping (expected a list of names of layers)");
  expect_refused({"inputs: , "}, "f:2:12: inputs is empty (expected a list of names of layers)");
  expect_refused({"inputs: 3, "},
                 "f:2:14: inputs: '3' is no text (expected text; put it in quotes)");
  expect_refused({"inputs: [input, [input]], "}, "f:2:22: inputs is a list (expected text)");
  expect_refused({"inputs: '', "},
                 "f:2:14: inputs: '' cannot be used (expected 1 to 1024 bytes of printable text)");
}

TEST(ConnectLayers, RefusesALayerWithTheNameOfTheInput) {
  expect_refused({"name: a, ", "name: input, "},
                 "f:3:12: name: 'input' is the network's input (expected another name)");
}

TEST(ConnectLayers, RefusesAnotherNumberOfInputsThanTheTypeTakes) {
  expect_refused({"name: a, inputs: [], "},
                 "f:2:23: layer 'a': a measured layer with 0 inputs (expected at least 1)");
  const std::string text =
      "batch: 1\n"
      "input: {features: 4}\n"
      "layers:\n"
      "  - {type: linear, out_features: 4}\n"
      "  - {type: relu, inputs: [linear_1, input]}\n";
  EXPECT_THAT(
      [&] { (void)parse_network(text, "f"); },
      ThrowsMessage<InputError>("f:5:26: layer 'relu_1': a relu layer with 2 inputs (expected 1)"));
  for (const std::string inputs : {"", ", inputs: input"}) {
    EXPECT_THAT(
        [&] {
          (void)parse_network(
              "batch: 1\n"
              "input: {features: 4}\n"
              "layers: [{type: linear, out_features: 4}, {type: add" +
                  inputs + "}]\n",
              "f");
        },
        ThrowsMessage<InputError>(
            HasSubstr("layer 'add_1': an add layer with 1 input (expected at least 2)")));
  }
}

TEST(ConnectLayers, RefusesCycles) {
  expect_refused({"name: a, inputs: a, "}, "f:2:23: inputs: a cycle 'a' -> 'a' (expected none)");
  expect_refused({"name: a, inputs: [input, b], ", "name: b, "},
                 "f:2:31: inputs: a cycle 'a' -> 'b' -> 'a' (expected none)");
  expect_refused({"name: a, ", "name: b, inputs: [a, d], ", "name: c, ", "name: d, "},
                 "f:3:27: inputs: a cycle 'b' -> 'c' -> 'd' -> 'b' (expected none)");
}

TEST(ConnectLayers, NamesTheEndsOfALongCycle) {
  std::vector<std::string> beginnings{"inputs: measured_1000, "};
  beginnings.resize(1000);
  expect_refused(beginnings,
                 "f:2:14: inputs: a cycle 'measured_1' -> 'measured_2' -> 'measured_3' -> "
                 "'measured_4' -> 992 more -> 'measured_997' -> 'measured_998' -> 'measured_999' "
                 "-> 'measured_1000' -> 'measured_1' (expected none)");
}

}  // namespace
}  // namespace layerpipe::read
