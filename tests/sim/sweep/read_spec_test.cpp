#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/sweep/spec.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::sweep {
namespace {

using namespace process;

using testing::ElementsAre;
using testing::HasSubstr;

/// Shipped files by their names; "none" is no file.
SpecFiles shipped() {
  const auto in = [](const std::string& folder, const std::string& extension) {
    return [=](const std::string& name) -> std::string {
      if (name == "none") throw InputError("no file is named 'none'");
      return std::string(LAYERPIPE_SOURCE_DIR) + folder + name + extension;
    };
  };
  return {in("/workloads/", ".yaml"), in("/platforms/", ".xml")};
}

SweepSpec parse(const std::string& text) { return parse_spec(text, "s.yaml", shipped()); }

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string smallest = "workloads: mlp\narrays: 32x32\nprocessors: 2\nschedules: layerpipe\n";

TEST(ReadSpec, WhatIsLeftOutIsThePlatformCommandsDefault) {
  const SweepSpec spec = parse(smallest);
  ASSERT_EQ(spec.workloads.size(), 1U);
  EXPECT_EQ(spec.workloads[0].name, "mlp");
  EXPECT_EQ(spec.workloads[0].batch, 128);  // workloads/mlp.yaml
  EXPECT_TRUE(spec.platforms.empty());
  EXPECT_THAT(spec.arrays, ElementsAre(array::ArraySize{32, 32}));
  EXPECT_THAT(spec.clocks_hertz, ElementsAre(1e9));
  EXPECT_THAT(spec.bandwidths, ElementsAre(64e9));
  EXPECT_THAT(spec.latencies, ElementsAre(100e-9));
  EXPECT_THAT(spec.topologies, ElementsAre(machine::Topology::crossbar));
  EXPECT_THAT(spec.weight_gradient_dataflows, ElementsAre(std::nullopt));
  EXPECT_THAT(spec.processors, ElementsAre(2));
  EXPECT_THAT(spec.batches, ElementsAre(std::nullopt));
  EXPECT_THAT(spec.splits, ElementsAre(costs::Split::ideal));
  EXPECT_THAT(spec.iterations, ElementsAre(5000));
}

TEST(ReadSpec, AValueOrAListEach) {
  const SweepSpec spec = parse(
      "workloads: [mlp, vgg16]\narrays: [32x32, 64x16]\ndataflow: [output-stationary]\n"
      "weight_gradient_dataflow: [input-stationary, weight-stationary]\n"
      "input_gradient: [gemm, convolution]\nclock: [1GHz, 500 MHz]\nbandwidths: [1 GB/s, 2GB/s]\n"
      "latency: [0, 1us]\ntopology: [chain, crossbar]\nprocessors: [1, 2, 3]\nbatches: [16, 32]\n"
      "schedules: [pipedream, layerpipe]\nsplits: [channels, batch]\niterations: [10, 20]\n");
  EXPECT_EQ(spec.workloads.size(), 2U);
  EXPECT_THAT(spec.arrays, ElementsAre(array::ArraySize{32, 32}, array::ArraySize{64, 16}));
  EXPECT_THAT(spec.weight_gradient_dataflows,
              ElementsAre(array::Dataflow::input_stationary, array::Dataflow::weight_stationary));
  EXPECT_THAT(spec.clocks_hertz, ElementsAre(1e9, 5e8));
  EXPECT_THAT(spec.bandwidths, ElementsAre(1e9, 2e9));
  EXPECT_THAT(spec.latencies, ElementsAre(0.0, 1e-6));
  EXPECT_THAT(spec.processors, ElementsAre(1, 2, 3));
  EXPECT_THAT(spec.batches, ElementsAre(16, 32));
  EXPECT_EQ(spec.schedulers[0]->name, "pipedream");
  EXPECT_THAT(spec.iterations, ElementsAre(10, 20));
}

// As in `compare`, the count is meant if it is given.
TEST(ReadSpec, RunsEndWhenTheyAreSteadyUnlessACountIsGiven) {
  EXPECT_TRUE(parse(smallest).until_steady);
  EXPECT_FALSE(parse(smallest + "iterations: 100\n").until_steady);
  EXPECT_TRUE(parse(smallest + "iterations: 100\nuntil: steady\n").until_steady);
  EXPECT_FALSE(parse(smallest + "until: iterations\n").until_steady);
  EXPECT_THAT(parse(smallest).iterations, ElementsAre(5000));
  EXPECT_THAT(parse(smallest + "until: iterations\n").iterations, ElementsAre(200));
}

TEST(ReadSpec, TheToleranceIsThatOfRunsUntilSteady) {
  EXPECT_EQ(parse(smallest).tolerance, 1e-3);
  EXPECT_EQ(parse(smallest + "tolerance: 0.0005\n").tolerance, 5e-4);
  EXPECT_EQ(parse(smallest + "tolerance: 1e-5\n").tolerance, 1e-5);
}

TEST(ReadSpec, PlatformsFromFilesHaveTheirOwnProcessorsAndArrays) {
  const SweepSpec spec =
      parse("workloads: mlp\nplatforms: [four-64x64, two-32x32-chain]\nschedules: layerpipe\n");
  ASSERT_EQ(spec.platforms.size(), 2U);
  EXPECT_EQ(spec.platforms[0].name, "four-64x64");
  EXPECT_EQ(spec.platforms[0].processors, 4);
  EXPECT_EQ(spec.platforms[0].array.rows, 64);
  EXPECT_EQ(spec.platforms[1].processors, 2);
  EXPECT_THAT(spec.processors, ElementsAre(std::nullopt));
}

TEST(ReadSpec, ErrorsHaveTheirPlace) {
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"workload: mlp\n", "s.yaml:1:1: unknown key 'workload' (nearest: workloads)"},
      {"arrays: 32x32\nprocessors: 2\nschedules: layerpipe\n",
       "s.yaml:1:1: missing key 'workloads'"},
      {"workloads: mlp\nschedules: layerpipe\n",
       "s.yaml:1:1: expected one of the keys 'platforms' and 'arrays'"},
      {smallest + "platforms: two-32x32\n",
       "s.yaml:1:1: expected one of the keys 'platforms' and 'arrays'"},
      {"workloads: mlp\narrays: 32x32\nschedules: layerpipe\n",
       "s.yaml:1:1: missing key 'processors'"},
      {"workloads: mlp\nplatforms: two-32x32\nschedules: layerpipe\nclock: 1GHz\n",
       "s.yaml:4:8: clock has no meaning for platforms from files"},
      {"workloads: none\narrays: 32x32\nprocessors: 2\nschedules: layerpipe\n",
       "s.yaml:1:12: workloads: no file is named 'none'"},
      {"workloads: [mlp, mlp]\narrays: 32x32\nprocessors: 2\nschedules: layerpipe\n",
       "s.yaml:1:18: workloads: "},
      {"workloads: mlp\narrays: [32x32, 64]\nprocessors: 2\nschedules: layerpipe\n",
       "s.yaml:2:17: arrays: '64' is not an array size"},
      {"workloads: mlp\narrays: 32x32\nprocessors: [2, 0]\nschedules: layerpipe\n",
       "s.yaml:3:17: processors: "},
      {"workloads: mlp\narrays: 32x32\nprocessors: [2, 02]\nschedules: layerpipe\n",
       "s.yaml:3:17: processors: "},
      {"workloads: mlp\narrays: 32x32\nprocessors: 2\nschedules: [layerpipe, pipedraem]\n",
       "s.yaml:4:24: schedules: unknown name 'pipedraem' (nearest: pipedream)"},
      {smallest + "batches: []\n", "s.yaml:5:10: batches is an empty list"},
      {smallest + "batches: [8, 16, 8]\n", "s.yaml:5:18: batches: '8' is there twice"},
      {smallest + "bandwidths: [1GB/s, 1000 MB/s]\n",
       "s.yaml:5:21: bandwidths: '1000 MB/s' is there twice"},
      {smallest + "bandwidths: 64\n", "s.yaml:5:13: bandwidths: "},
      {smallest + "latency: 100\n", "s.yaml:5:10: latency: "},
      {smallest + "clock: [[1GHz]]\n", "s.yaml:5:9: clock is a list (expected a word)"},
      {smallest + "splits: idael\n", "s.yaml:5:9: splits: unknown name 'idael' (nearest: ideal)"},
      {"workloads: mlp\narrays: 32x32\nprocessors: 2\nschedules: pipedream\nsplits: channels\n",
       "s.yaml:5:9: splits: no chosen schedule reads it (expected layerpipe, layerpipe-strict, "
       "layerpipe-optimal, gpipe, 1f1b, eager-1f1b, zb-h1, zb-h2 or pipedream-2bw)"},
      {smallest + "iterations: many\n", "s.yaml:5:13: iterations: "},
      {smallest + "iterations: 0\n", "s.yaml:5:13: iterations: '0' is out of range"},
      {smallest + "iterations: 1e3\n", "s.yaml:5:13: iterations: '1e3' is not a whole number"},
      {smallest + "batches: 010\n", "s.yaml:5:10: batches: '010' has a leading zero"},
      {"workloads: &a [mlp]\nplatforms: *a\n", "s.yaml:1:12: an anchor '&a'"},
      {smallest + "until: [steady]\n", "s.yaml:5:8: until is a list (expected a word)"},
      {smallest + "tolerance: 1\n",
       "s.yaml:5:12: tolerance: '1' is no such fraction (expected a number above 0 and below 1, "
       "such as 0.001)"},
      {smallest + "iterations: 9\ntolerance: 0.1\n",
       "s.yaml:6:12: tolerance has no meaning here (expected it with 'until: steady' only)"},
      {smallest + "until: stead\n", "s.yaml:5:8: until: unknown name 'stead' (nearest: steady)"},
      {smallest + "processors: 3\n", "s.yaml:5:1: "},  // a second time
      {"- workloads\n", "s.yaml:1:1: the file is a list"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(refusal(text), testing::StartsWith(message)) << text;
  }
}

// What a journal is tied to: a comment is a change of the spec's bytes, too.
TEST(ReadSpec, InputsAreSpecAndFiles) {
  const std::vector<InputFile> inputs = parse(smallest).inputs;
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs.at(0), input_file_of("s.yaml", smallest));
  EXPECT_EQ(parse(smallest).inputs, inputs);
  EXPECT_NE(parse(smallest + "# more\n").inputs.at(0), inputs.at(0));
  SpecFiles files = shipped();
  files.workload = [](const std::string&) {
    return std::string(LAYERPIPE_SOURCE_DIR) + "/workloads/vgg16.yaml";
  };
  const std::vector<InputFile> others = parse_spec(smallest, "s.yaml", files).inputs;
  EXPECT_EQ(others.at(1).name, inputs.at(1).name);
  EXPECT_NE(others.at(1).sha256, inputs.at(1).sha256);
}

}  // namespace
}  // namespace layerpipe::sweep
