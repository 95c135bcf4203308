#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"
#include "workloads/base/table.hpp"

namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;

struct Names {
  std::string test;
  std::string name;
  std::string in_xml;
};

void PrintTo(const Names& names, std::ostream* stream) { *stream << names.test; }

/// A network, layers, processors and a link of strange names, and a folder for what is written of
/// them.
class StrangeNames : public testing::TestWithParam<Names> {
 protected:
  StrangeNames() : folder_(temporary_path("names")) {
    fs::create_directories(folder_);
    const auto host = [](const std::string& name) {
      return fmt::format(
          R"(<host id="{}" speed="1Gf"><prop id="rows" value="4"/><prop id="cols" value="4"/></host>)",
          name);
    };
    const std::string& xml = GetParam().in_xml;
    std::ofstream(file("p.xml"))
        << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
           "version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
        << host(xml + "0") << host(xml + "1")
        << fmt::format(
               R"(<link id="{0}" bandwidth="1GBps" latency="1us"/><route src="{0}0" dst="{0}1"><link_ctn id="{0}"/></route>)",
               xml)
        << "</zone></platform>\n";
    const std::string name = nlohmann::json(GetParam().name).dump();
    std::ofstream(file("w.yaml")) << fmt::format(
        "name: {0}\nbatch: 8\ninput: {{features: 64}}\nlayers:\n"
        "  - {{name: {0}, type: linear, out_features: 64}}\n"
        "  - {{name: second, type: linear, out_features: 64}}\n",
        name);
  }
  ~StrangeNames() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

  std::string output(const std::string& command, std::vector<std::string> options) const {
    options.insert(options.begin(), {command, file("p.xml"), file("w.yaml")});
    const Answer answer = run_program(options);
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_EQ(answer.err, "");
    return answer.out;
  }

 private:
  fs::path folder_;
};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

/// As many x for each character as it takes columns of a terminal.
std::string in_columns(const std::string& line) {
  std::string result;
  for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end) {
    for (end = begin + 1; end < line.size() && (line[end] & 0xC0) == 0x80;) ++end;
    const std::string character = line.substr(begin, end - begin);
    result += character == " " ? character : std::string(base::display_width(character), 'x');
  }
  return result;
}

/// Every row of every table is blank where the line below its titles is.
void expect_aligned(const std::string& text) {
  std::string rule;
  std::size_t rows = 0;
  for (const std::string& line : lines(text)) {
    if (line.empty()) rule.clear();
    if (line.starts_with("-") && line.find_first_not_of("- ") == std::string::npos) rule = line;
    if (rule.empty()) continue;
    ++rows;
    const std::string columns = in_columns(line);
    EXPECT_LE(columns.size(), rule.size()) << line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      EXPECT_TRUE(rule[i] == '-' || columns[i] == ' ') << line;
    }
  }
  EXPECT_GT(rows, 1U);
}

/// Fields of a line of CSV as in RFC 4180.
std::size_t fields(const std::string& line) {
  std::size_t count = 1;
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == ',' && !is_quoted) ++count;
  }
  EXPECT_FALSE(is_quoted) << line;
  return count;
}

void expect_csv(const std::string& text) {
  const std::vector<std::string> rows = lines(text);
  ASSERT_GT(rows.size(), 1U);
  for (const std::string& row : rows) EXPECT_EQ(fields(row), fields(rows.front())) << row;
}

TEST_P(StrangeNames, LineUpInTables) {
  for (const char* command : {"simulate", "compare", "theory", "schedule", "profile"}) {
    SCOPED_TRACE(command);
    expect_aligned(output(command, {}));
  }
}

TEST_P(StrangeNames, AreTextOfJsonAndFieldsOfCsv) {
  for (const char* command : {"simulate", "compare", "theory", "schedule", "profile"}) {
    SCOPED_TRACE(command);
    const nlohmann::json report = nlohmann::json::parse(output(command, {"--format", "json"}));
    const bool is_list = report.contains("schedules");
    EXPECT_EQ((is_list ? report.at("schedules").at(0) : report).at("workload"), GetParam().name);
    expect_csv(output(command, {"--format", "csv"}));
  }
}

TEST_P(StrangeNames, AreInEveryTrace) {
  for (const char* trace : {"t.csv", "t.json", "t.paje", "t.svg"}) {
    output("simulate", {"--iterations", "5", "--trace", file(trace)});
  }
  expect_csv(content(file("t.csv")));
  EXPECT_FALSE(nlohmann::json::parse(content(file("t.json"))).at("traceEvents").empty());
  pugi::xml_document picture;
  EXPECT_TRUE(picture.load_file(file("t.svg").c_str()));
  if (std::system("command -v pj_dump > /dev/null") == 0) {
    EXPECT_EQ(std::system(("pj_dump -l 9 " + file("t.paje") + " > /dev/null").c_str()), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Names, StrangeNames,
    testing::Values(Names{"Quotes", "a\"b'c, d&<e>", "a&quot;b'c,_d&amp;&lt;e&gt;"},
                    Names{"Wide", "\u00fc\u6771\u4eac", "\u00fc\u6771\u4eac"},
                    Names{"Long", std::string(300, 'n'), std::string(300, 'n')}),
    [](const auto& test) { return test.param.test; });

}  // namespace
}  // namespace layerpipe::tests
