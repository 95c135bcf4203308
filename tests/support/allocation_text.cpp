#include "tests/support/allocation_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

const std::vector<std::string> good_lines{
    R"({"schedule": "layerpipe", "options": {"split": "ideal"}, "processors": [ )",
    R"( {"name": "p0", "operations": [)",
    R"(  {"operation": "forward", "layer": "layer1", "fraction": 1},)",
    R"(  {"operation": "weight_gradient", "layer": "layer1", "fraction": 1},)",
    R"(  {"operation": "forward", "layer": "layer2", "fraction": 1},)",
    R"(  {"operation": "input_gradient", "layer": "layer2", "fraction": 0.75},)",
    R"(  {"operation": "weight_gradient", "layer": "layer2", "fraction": 1}]},)",
    R"( {"name": "p1", "operations": [)",
    R"(  {"operation": "input_gradient", "layer": "layer2", "fraction": 0.25},)",
    R"(  {"operation": "forward", "layer": "layer3", "fraction": 1},)",
    R"(  {"operation": "input_gradient", "layer": "layer3", "fraction": 1},)",
    R"(  {"operation": "weight_gradient", "layer": "layer3", "fraction": 1}]},)",
    R"( {"name": "p2", "operations": [)",
    R"(  {"operation": "forward", "layer": "layer4", "fraction": 1},)",
    R"(  {"operation": "input_gradient", "layer": "layer4", "fraction": 1},)",
    R"(  {"operation": "weight_gradient", "layer": "layer4", "fraction": 1}]},)",
    R"( {"name": "p3", "operations": []}], "target_cycles": null})",
};

std::string to_string(const Place& place, const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t i = 0; i < place.line; ++i) std::getline(lines, line);
  EXPECT_NE(line.find(place.at), std::string::npos) << place.at << " in " << line;
  return fmt::format("f:{}:{}", place.line, line.find(place.at) + 1);
}

}  // namespace

costs::Profile four_layers() {
  return test_profile({{10, 0, 10}, {10, 101, 10}, {10, 101, 10}, {10, 101, 10}});
}

std::string edited(const std::vector<Edit>& edits) {
  std::vector<std::string> lines = good_lines;
  for (const Edit& edit : edits) {
    std::string& line = lines[edit.line - 1];
    const std::size_t begin = line.find(edit.from);
    EXPECT_NE(begin, std::string::npos) << edit.from;
    line.replace(begin, edit.from.size(), edit.to);
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string entry(const std::string& operation, const std::string& layer,
                  const std::string& fraction) {
  return fmt::format(R"({{"operation": "{}", "layer": "{}", "fraction": {}}})", operation, layer,
                     fraction);
}

Edit without(std::size_t line) { return {line, good_lines[line - 1], ""}; }

Edit before(std::size_t line, const std::string& added) { return {line, "{", added + ", {"}; }

placement::GivenAllocation parse(const std::string& text, const costs::Profile& profile,
                                 std::size_t processors) {
  return placement::parse_allocation(text, "f", profile, test_machine(processors));
}

void expect_refused(const std::vector<Edit>& edits, const Place& place, const std::string& message,
                    const costs::Profile& profile, std::size_t processors) {
  const std::string text = edited(edits);
  EXPECT_THAT(
      [&] { (void)parse(text, profile, processors); },
      testing::ThrowsMessage<InputError>(fmt::format("{}: {}", to_string(place, text), message)));
}

}  // namespace layerpipe::tests
