#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::vector<std::string> fields(const std::string& row) {
  std::vector<std::string> result;
  std::istringstream stream(row + ',');
  for (std::string field; std::getline(stream, field, ',');) result.push_back(field);
  return result;
}

/// A folder with a spec, for files of one test.
class Sweep : public testing::Test {
 protected:
  Sweep() : folder_(temporary_path("sweep")) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write_spec(
        "workloads: [sample4, mlp]\n"
        "arrays: [32x32, 64x64]\n"
        "processors: [2, 3]\n"
        "schedules: [pipedream, layerpipe]\n"
        "iterations: 40\n");
  }
  ~Sweep() override { fs::remove_all(folder_); }

  void write_spec(const std::string& text) const { std::ofstream(spec()) << text; }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string spec() const { return file("spec.yaml"); }
  [[nodiscard]] std::string journal(const std::string& name) const {
    return file(name) + ".journal";
  }

  Answer sweep(const std::string& name, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"sweep", spec(), "--output", file(name)});
    return run_program(options);
  }

  /// The results, of a sweep that ends well.
  std::string results(const std::string& name, const std::vector<std::string>& options = {}) const {
    const Answer answer = sweep(name, options);
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_FALSE(fs::exists(journal(name)));
    return content(file(name));
  }

 private:
  fs::path folder_;
};

TEST_F(Sweep, RowsAreInTheOrderOfPointsForAnyNumberOfJobs) {
  const std::string one = results("one.csv", {"--jobs", "1"});
  const std::vector<std::string> rows = lines(one);
  ASSERT_EQ(rows.size(), 1U + 16U);
  EXPECT_THAT(rows[0], StartsWith("point,workload,batch,platform,processors,array,"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(fields(rows[i])[0], std::to_string(i - 1));
  }
  EXPECT_EQ(results("four.csv", {"--jobs", "4"}), one);
  EXPECT_EQ(results("default.csv"), one);
}

// Reference figures R4: the simulated periods of the sample network on three 32x32 arrays, and the
// cycles of R4's table added up.
TEST_F(Sweep, TellsWhatSimulateDoes) {
  write_spec(
      "workloads: sample4\narrays: 32x32\nprocessors: 3\n"
      "schedules: [pipedream, layerpipe]\nbandwidths: 1TB/s\n");
  const std::vector<std::string> rows = lines(results("sample.csv"));
  ASSERT_EQ(rows.size(), 3U);
  const std::vector<std::string> columns = fields(rows[0]);
  const auto value = [&](std::size_t row, const std::string& column) {
    const auto found = std::ranges::find(columns, column);
    return fields(rows[row])[static_cast<std::size_t>(found - columns.begin())];
  };
  EXPECT_EQ(value(1, "slowest_processor_cycles"), "43434336");
  EXPECT_EQ(value(2, "slowest_processor_cycles"), "32007170");
  EXPECT_EQ(value(2, "period_cycles"), "32007170");
  EXPECT_EQ(value(2, "one_processor_cycles"), "96021510");
  EXPECT_EQ(value(2, "exact"), "true");
  EXPECT_EQ(value(2, "status"), "ok");
  // 0.915 of the 27,648 bytes of W(2) and 0.632 of the 110,592 of W(3), by R4.
  EXPECT_NEAR(std::stod(value(2, "additional_weights_bytes_per_minibatch")), 95'192, 100);
}

TEST_F(Sweep, PointsThatCannotBeDoneAreRows) {
  write_spec(
      "workloads: sample4\nplatforms: three-32x32\nprocessors: [2, 4]\n"
      "schedules: layerpipe\niterations: 20\n");
  const Answer answer = sweep("rows.csv");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(answer.out, "2 points, 1 of them without a result: " + file("rows.csv") + "\n");
  const std::vector<std::string> rows = lines(content(file("rows.csv")));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[1], HasSubstr(",ok,"));
  EXPECT_THAT(rows[2], HasSubstr(",infeasible,,,"));
  EXPECT_THAT(rows[2], HasSubstr("three-32x32"));
  EXPECT_EQ(fields(rows[1]).size(), fields(rows[0]).size());
}

TEST_F(Sweep, CountsOnePointInTheSingular) {
  write_spec("workloads: mlp\nplatforms: two-32x32\nschedules: pipedream\niterations: 20\n");
  EXPECT_EQ(sweep("a.csv").out, "1 point, 0 of them without a result: " + file("a.csv") + "\n");
}

TEST_F(Sweep, ListsPoints) {
  const Answer answer = run_program({"sweep", spec(), "--list"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  const std::vector<std::string> listed = lines(answer.out);
  ASSERT_EQ(listed.size(), 17U);
  EXPECT_EQ(listed[1],
            "0,sample4,32,,2,32x32,weight-stationary,weight-stationary,convolution,1000000000,"
            "64000000000,1e-07,crossbar,pipedream,ideal,40");
  const std::vector<std::string> share =
      lines(run_program({"sweep", spec(), "--list", "--only", "2/5"}).out);
  EXPECT_EQ(share, (std::vector<std::string>{listed[0], listed[2], listed[7], listed[12]}));
}

TEST_F(Sweep, SharesAreMergedToTheSameFile) {
  const std::string whole = results("whole.csv");
  results("a.csv", {"--only", "1/3"});
  results("b.csv", {"--only", "2/3"});
  results("c.csv", {"--only", "3/3"});
  const auto merge = [&](const std::vector<std::string>& names) {
    std::vector<std::string> options;
    for (const std::string& name : names) options.insert(options.end(), {"--merge", file(name)});
    return sweep("merged.csv", options);
  };
  EXPECT_EQ(merge({"c.csv", "a.csv", "b.csv"}).exit_code, 0);
  EXPECT_EQ(content(file("merged.csv")), whole);

  const Answer missing = merge({"a.csv", "c.csv"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("5 of 16 points have no row, point 1 is the first"));

  std::ofstream(file("other.csv")) << lines(whole)[0] << "\n0,vgg16,32\n";
  const Answer other = merge({"other.csv"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("other.csv:2: is no row of this sweep"));

  std::ofstream(file("torn.csv")) << whole.substr(0, whole.size() - 5);
  EXPECT_THAT(merge({"torn.csv"}).err, HasSubstr("torn.csv:17: ends within a line"));
}

/// A sweep in the background.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const std::string& err) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    std::vector<std::string> words{LAYERPIPE_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (std::freopen(err.c_str(), "w", stderr) == nullptr) ::_exit(1);
    ::execv(pointers[0], pointers.data());
    ::_exit(1);
  }

  /// Status as of waitpid.
  int end_by(int signal) const {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }

  [[nodiscard]] pid_t id() const { return pid_; }

  int end() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WEXITSTATUS(status);
  }

 private:
  pid_t pid_ = 0;
};

/// Of a process, by Linux; some of them, while they come and go.
std::vector<pid_t> children(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) +
                     "/children");
  std::vector<pid_t> result;
  for (pid_t child = 0; file >> child;) result.push_back(child);
  return result;
}

// The points have one process for the platform, and one each below that. When the first has its
// row, one of the others is killed.
TEST_F(Sweep, APointWhoseProcessDiesIsARow) {
  write_spec(
      "workloads: vgg16\narrays: 32x32\nprocessors: 8\n"
      "schedules: [pipedream, layerpipe, layerpipe-optimal]\niterations: 3000\n");
  const Process process({"sweep", spec(), "--output", file("died.csv"), "--jobs", "1"},
                        file("err"));
  bool has_killed = false;
  for (int i = 0; i < 60'000 && !has_killed && !fs::exists(file("died.csv")); ++i) {
    std::this_thread::sleep_for(1ms);
    if (lines(content(journal("died.csv"))).size() < 2) continue;
    for (const pid_t worker : children(process.id())) {
      for (const pid_t point : children(worker)) has_killed = ::kill(point, SIGSEGV) == 0;
    }
  }
  ASSERT_TRUE(has_killed);
  EXPECT_EQ(process.end(), 6);
  EXPECT_EQ(
      content(file("err")),
      "layerpipe: 1 of 3 points failed (column message says why); to try them again: the same "
      "command with --resume\n");
  const std::string died = content(file("died.csv"));
  ASSERT_EQ(lines(died).size(), 4U);
  EXPECT_THAT(died, HasSubstr(",failed,"));
  EXPECT_THAT(died, HasSubstr(",a process was ended by SIGSEGV\n"));
  EXPECT_EQ(lines(content(journal("died.csv"))).size(), 3U);
  EXPECT_EQ(results("died.csv", {"--resume"}), results("whole.csv"));
}

// The journal grows by a row at a time: whenever it has this many lines, the sweep is killed. With
// SIGKILL nothing of it can be cleaned up.
TEST_F(Sweep, GoesOnAfterBeingKilled) {
  const std::string whole = results("whole.csv");
  for (const std::size_t rows : {0U, 1U, 2U, 5U, 9U, 15U}) {
    const std::string name = "killed" + std::to_string(rows) + ".csv";
    const Process process({"sweep", spec(), "--output", file(name), "--jobs", "2"}, file("err"));
    for (int i = 0; i < 10'000 && !fs::exists(file(name)); ++i) {
      if (lines(content(journal(name))).size() > rows) break;
      std::this_thread::sleep_for(1ms);
    }
    process.end_by(SIGKILL);
    EXPECT_EQ(results(name, {"--resume"}), whole) << "killed after " << rows << " rows";
  }
}

TEST_F(Sweep, GoesOnFromEveryTornJournal) {
  // The second point takes long enough to read the journal meanwhile.
  write_spec(
      "workloads: mlp\narrays: 32x32\nprocessors: 2\nschedules: pipedream\n"
      "iterations: [20, 2000]\n");
  const std::string whole = results("whole.csv");
  const Process process({"sweep", spec(), "--output", file("a.csv"), "--jobs", "1"}, file("err"));
  std::string kept;
  for (int i = 0; i < 10'000 && lines(kept).size() < 2; ++i) {
    std::this_thread::sleep_for(1ms);
    kept = content(journal("a.csv"));
  }
  process.end_by(SIGKILL);
  ASSERT_GE(lines(kept).size(), 2U) << "the sweep was over before its journal was read";
  // A damaged byte within the last row, and cuts in header and rows.
  std::string damaged = kept;
  damaged[damaged.size() - 3] ^= 1;
  std::vector<std::string> texts{"", damaged, kept + std::string(100, '\0')};
  for (const std::size_t length : {std::size_t{1}, kept.find('\n'), kept.find('\n') + 1,
                                   kept.find('\n') + 2, kept.size() - 1}) {
    texts.push_back(kept.substr(0, length));
  }
  for (const std::string& text : texts) {
    std::ofstream(journal("a.csv")) << text;
    EXPECT_EQ(results("a.csv", {"--resume"}), whole) << text;
  }
}

TEST_F(Sweep, ResumesOnlyTheSameSweep) {
  std::ofstream(journal("a.csv")) << "layerpipe 0.0.1, spec 0, share 1/1\n";
  const Answer begun = sweep("a.csv");
  EXPECT_EQ(begun.exit_code, 2);
  EXPECT_THAT(begun.err, HasSubstr("a.csv.journal: is of a sweep that was not finished"));
  const Answer resumed = sweep("a.csv", {"--resume"});
  EXPECT_EQ(resumed.exit_code, 3);
  EXPECT_THAT(resumed.err, HasSubstr("a.csv.journal:1: is of another sweep, layerpipe 0.0.1, "));
  EXPECT_EQ(content(journal("a.csv")), "layerpipe 0.0.1, spec 0, share 1/1\n");
  EXPECT_FALSE(fs::exists(file("a.csv")));
}

// The title that the program gives the journal of a sweep, but for the digest of the spec.
TEST_F(Sweep, SaysThatItsFilesHaveChanged) {
  const std::string version = run_program({"--version"}).out;
  const std::string program = version.substr(0, version.size() - 1);
  const auto resumed = [&](const std::string& title) {
    std::ofstream(journal("a.csv")) << title << '\n';
    const Answer answer = sweep("a.csv", {"--resume"});
    EXPECT_EQ(answer.exit_code, 3);
    return answer.err;
  };
  EXPECT_EQ(resumed(program + ", spec 0123456789abcdef, share 1/1"),
            "layerpipe: " + journal("a.csv") +
                ":1: the spec or a file that it names has changed since (expected them as they "
                "were; delete the journal to begin anew)\n");
  EXPECT_THAT(resumed(program + ", spec 0123456789abcdef, share 1/2"),
              HasSubstr("a.csv.journal:1: is of another sweep, layerpipe "));
}

TEST_F(Sweep, AnInterruptedOneSaysHowToGoOn) {
  write_spec(
      "workloads: vgg16\narrays: 32x32\nprocessors: 8\nschedules: layerpipe\n"
      "iterations: 1000000\n");
  const Process process({"sweep", spec(), "--output", file("a.csv"), "--only", "1/1"}, file("err"));
  for (int i = 0; i < 10'000 && content(journal("a.csv")).empty(); ++i) {
    std::this_thread::sleep_for(1ms);
  }
  const int status = process.end_by(SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  EXPECT_EQ(content(file("err")),
            "layerpipe: interrupted after 0 of 1 point; to go on: the same command with "
            "--resume\n");
  // There is no row to go on from: it begins anew.
  EXPECT_FALSE(fs::exists(journal("a.csv")));
  EXPECT_FALSE(fs::exists(file("a.csv")));
}

// Files of at most 512 bytes: the first line of a journal and a row, or two, have more.
TEST_F(Sweep, LeavesAWholeJournalWhereThereIsNoRoom) {
  write_spec(
      "workloads: [mlp, sample4]\nplatforms: two-32x32\nschedules: [pipedream, layerpipe]\n"
      "iterations: 20\n");
  const std::string whole = results("whole.csv");
  const std::vector<std::string> arguments{"sweep",       spec(),   "--output",
                                           file("a.csv"), "--jobs", "1"};
  const Answer answer = run_program(arguments, "", "ulimit -f 1; ");
  EXPECT_EQ(answer.exit_code, 74);
  EXPECT_EQ(answer.err, "layerpipe: " + journal("a.csv") + ": cannot be written: File too large\n");
  EXPECT_FALSE(fs::exists(file("a.csv")));
  EXPECT_TRUE(content(journal("a.csv")).ends_with('\n'));
  EXPECT_EQ(results("a.csv", {"--resume"}), whole);
}

TEST_F(Sweep, LeavesNothingWithoutARow) {
  const Answer answer =
      run_program({"sweep", spec(), "--output", file("a.csv")}, "", "ulimit -f 0; ");
  EXPECT_EQ(answer.exit_code, 74);
  EXPECT_FALSE(fs::exists(journal("a.csv")));
  // A platform that passes the check of the spec, and that SimGrid refuses.
  std::ofstream(file("bad.xml"))
      << "<!DOCTYPE platform SYSTEM \"none\">\n<platform version=\"4.1\"><zone id=\"z\" "
         "routing=\"Full\"><host id=\"p\" speed=\"1Gf\"><prop id=\"rows\" value=\"4\"/><prop "
         "id=\"cols\" value=\"4\"/></host></zone></platform>\n";
  write_spec("workloads: mlp\nplatforms: bad.xml\nschedules: layerpipe\n");
  EXPECT_THAT(sweep("b.csv").err, HasSubstr("bad.xml:1: SimGrid refuses it: Bad declaration"));
  EXPECT_FALSE(fs::exists(journal("b.csv")));
  EXPECT_FALSE(fs::exists(file("b.csv")));
}

// A sweep that is killed could not delete them.
TEST_F(Sweep, KeepsGeneratedPlatformsInNoFile) {
  const Answer answer =
      run_program({"sweep", spec(), "--output", file("a.csv")}, "", "TMPDIR=/no/such/folder ");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
}

TEST_F(Sweep, RefusesWhatCannotBe) {
  const auto refusal = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"sweep", spec()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Answer answer = run_program(arguments);
    EXPECT_EQ(answer.exit_code, 2) << answer.err;
    EXPECT_EQ(lines(answer.err).size(), 1U);
    return answer.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("--output"));
  EXPECT_THAT(refusal({"--output", spec()}), HasSubstr("name the same file"));
  EXPECT_THAT(refusal({"--list", "--output", file("a.csv")}), HasSubstr("--list"));
  for (const char* share : {"0/2", "3/2", "1", "1/0", "a/b", "1/2/3"}) {
    EXPECT_THAT(refusal({"--list", "--only", share}), HasSubstr("--only")) << share;
  }
  EXPECT_THAT(refusal({"--output", file("a.csv"), "--jobs", "0"}), HasSubstr("--jobs"));
  EXPECT_EQ(sweep("no/such/folder.csv").exit_code, 74);
}

TEST_F(Sweep, FindsFilesBesideTheSpec) {
  fs::copy_file(fs::path(LAYERPIPE_SOURCE_DIR) / "workloads/mlp.yaml", file("mine.yaml"));
  fs::copy_file(fs::path(LAYERPIPE_SOURCE_DIR) / "platforms/two-32x32.xml", file("two.xml"));
  write_spec(
      "workloads: mine.yaml\nplatforms: [two.xml, four-32x32-chain]\n"
      "schedules: layerpipe\niterations: 20\n");
  const std::vector<std::string> rows = lines(results("a.csv"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[1], HasSubstr(",two,2,32x32,"));
  EXPECT_THAT(rows[2], HasSubstr(",four-32x32-chain,4,32x32,"));
}

}  // namespace
}  // namespace layerpipe::tests
