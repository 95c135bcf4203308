#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const std::string platform = "platforms/three-32x32.xml";
const std::string workload = "workloads/sample4.yaml";

/// By sha256sum, another program.
std::string digest(const std::string& file) {
  const std::string path = temporary_path("digest");
  const std::string command = "sha256sum '" + file + "' > '" + path + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  const std::string text = content(path);
  std::remove(path.c_str());
  return text.substr(0, text.find(' '));
}

json input(const std::string& name, const std::string& file) {
  return {{"file", name}, {"sha256", digest(std::string(LAYERPIPE_SOURCE_DIR) + "/" + file)}};
}

/// Versions as `layerpipe --version` has them.
void expect_versions(const json& provenance) {
  const std::string text = run_program({"--version"}).out;
  std::smatch match;
  ASSERT_TRUE(std::regex_match(text, match, std::regex(R"(layerpipe (\S+) \(SimGrid (\S+)\)\n)")));
  EXPECT_EQ(provenance.at("layerpipe_version"), match[1].str());
  EXPECT_EQ(provenance.at("simgrid_version"), match[2].str());
}

/// Of a command's JSON.
json provenance_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Answer answer = run_program(arguments);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return json::parse(answer.out).at("provenance");
}

TEST(Provenance, IsInTheJsonOfEveryCommandOnAMachine) {
  for (const char* command : {"simulate", "compare", "profile", "schedule", "theory"}) {
    const json provenance = provenance_of({command, "three-32x32", workload});
    expect_versions(provenance);
    EXPECT_EQ(provenance.at("command"),
              std::string("layerpipe ") + command + " three-32x32 " + workload + " --format json");
    EXPECT_EQ(provenance.at("inputs"),
              json::array({input("three-32x32", platform), input(workload, workload)}));
  }
}

TEST(Provenance, NamesTheFilesThatAreCheckedAndListed) {
  const json checked = provenance_of({"check", platform, "sample4"});
  expect_versions(checked);
  EXPECT_EQ(checked.at("inputs"),
            json::array({input(platform, platform), input("sample4", workload)}));
  const json listed = provenance_of({"list"});
  EXPECT_THAT(listed.at("inputs"), testing::Contains(input("sample4", workload)));
  EXPECT_THAT(listed.at("inputs"), testing::Contains(input("three-32x32", platform)));
}

class ProvenanceOfFiles : public testing::Test {
 protected:
  ProvenanceOfFiles() : folder_(temporary_path("provenance")) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~ProvenanceOfFiles() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  /// Of the CSV file `name`.
  [[nodiscard]] json sidecar(const std::string& name) const {
    return json::parse(content(file(name) + ".provenance.json"));
  }

  /// Names in the folder.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      result.push_back(entry.path().filename().string());
    }
    return result;
  }

 private:
  std::string folder_;
};

TEST_F(ProvenanceOfFiles, OfAnAllocationIsThere) {
  const std::string allocation = file("a.json");
  ASSERT_EQ(
      run_program({"schedule", platform, workload, "--format", "json", "--output", allocation})
          .exit_code,
      0);
  const json inputs =
      provenance_of({"simulate", platform, workload, "--allocation", allocation}).at("inputs");
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(inputs.at(2), (json{{"file", allocation}, {"sha256", digest(allocation)}}));
}

TEST_F(ProvenanceOfFiles, StandsBesideACsv) {
  const std::vector<std::string> arguments{"compare", platform,   workload,     "--format",
                                           "csv",     "--output", file("r.csv")};
  ASSERT_EQ(run_program(arguments).exit_code, 0);
  expect_versions(sidecar("r.csv"));
  EXPECT_EQ(sidecar("r.csv").at("command"), "layerpipe compare " + platform + " " + workload +
                                                " --format csv --output " + file("r.csv"));
  EXPECT_EQ(sidecar("r.csv").at("inputs"),
            json::array({input(platform, platform), input(workload, workload)}));
  EXPECT_THAT(content(file("r.csv")), testing::StartsWith("schedule,"));
  EXPECT_THAT(names(), testing::UnorderedElementsAre("r.csv", "r.csv.provenance.json"));
}

TEST_F(ProvenanceOfFiles, IsNotWrittenBesideOtherFormatsAndDevices) {
  ASSERT_EQ(run_program({"compare", platform, workload, "--output", file("r.txt")}).exit_code, 0);
  EXPECT_THAT(names(), testing::ElementsAre("r.txt"));
  const Answer answer = run_program({"list", "--format", "csv", "--output", "/dev/stdout"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_FALSE(fs::exists("/dev/stdout.provenance.json"));
}

TEST_F(ProvenanceOfFiles, IsNotLeftWithoutItsFile) {
  ASSERT_NE(run_program({"compare", platform, write("bad.yaml", "bad"), "--format", "csv",
                         "--output", file("r.csv")})
                .exit_code,
            0);
  EXPECT_THAT(names(), testing::ElementsAre("bad.yaml"));
}

TEST_F(ProvenanceOfFiles, OverwritesNoInput) {
  const std::string allocation = write("r.csv.provenance.json", "{}");
  const Answer answer = run_program({"simulate", platform, workload, "--allocation", allocation,
                                     "--format", "csv", "--output", file("r.csv")});
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("name the same file"));
  EXPECT_EQ(content(allocation), "{}");
}

TEST_F(ProvenanceOfFiles, OfASweepNamesWhatItsSpecNames) {
  const std::string spec =
      write("s.yaml", "workloads: sample4\nplatforms: three-32x32\nschedules: layerpipe\n");
  const std::string output = file("s.csv");
  ASSERT_EQ(run_program({"sweep", spec, "--output", output}).exit_code, 0);
  const json of_sweep = sidecar("s.csv");
  expect_versions(of_sweep);
  EXPECT_EQ(of_sweep.at("command"), "layerpipe sweep " + spec + " --output " + output);
  EXPECT_EQ(of_sweep.at("inputs"), json::array({{{"file", spec}, {"sha256", digest(spec)}},
                                                input("three-32x32", platform),
                                                input("sample4", workload)}));
  ASSERT_EQ(run_program({"sweep", spec, "--merge", output, "--output", file("m.csv")}).exit_code,
            0);
  EXPECT_EQ(content(file("m.csv")), content(output));
  EXPECT_EQ(sidecar("m.csv").at("inputs").size(), 4U);
  EXPECT_EQ(sidecar("m.csv").at("inputs").at(3),
            (json{{"file", output}, {"sha256", digest(output)}}));
}

TEST_F(ProvenanceOfFiles, IsInEveryTrace) {
  std::vector<std::string> arguments{"simulate", platform, workload, "--trace-iterations", "10:11"};
  for (const char* name : {"t.svg", "t.paje", "t.json", "t.csv"}) {
    arguments.insert(arguments.end(), {"--trace", file(name)});
  }
  const Answer answer = run_program(arguments);
  ASSERT_EQ(answer.exit_code, 0) << answer.err;

  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_file(file("t.svg").c_str()));
  const json of_svg = json::parse(svg.child("svg").child("metadata").child_value());
  expect_versions(of_svg);
  EXPECT_EQ(of_svg.at("inputs"),
            json::array({input(platform, platform), input(workload, workload)}));
  const std::string paje = content(file("t.paje"));
  EXPECT_EQ(json::parse(paje.substr(2, paje.find('\n') - 2)), of_svg);
  EXPECT_EQ(sidecar("t.csv"), of_svg);
  json of_json = json::parse(content(file("t.json"))).at("otherData");
  EXPECT_GT(of_json.at("begin_cycle"), 0);
  of_json.erase("begin_cycle");
  EXPECT_EQ(of_json, of_svg);
}

}  // namespace
}  // namespace layerpipe::tests
