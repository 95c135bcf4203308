#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_program.hpp"

// What is neither a plain file nor the standard output: pipes, links, the standard input.
namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;

const std::string three = "platforms/three-32x32.xml";
const std::string sample = "workloads/sample4.yaml";
constexpr const char* ten_seconds = "timeout 10 ";

class PipesAndLinks : public testing::Test {
 protected:
  PipesAndLinks() : folder_(temporary_path("pipes")) { fs::create_directories(folder_); }
  ~PipesAndLinks() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] std::string fifo(const std::string& name) const {
    EXPECT_EQ(::mkfifo(file(name).c_str(), 0600), 0);
    return file(name);
  }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  fs::path folder_;
};

/// The program reads a pipe from `source`.
Answer run_on_pipe(const std::vector<std::string>& arguments, const std::string& source) {
  return run_program(arguments, "<&3)", fmt::format("cat {} | (exec 3<&0; ", source));
}

TEST_F(PipesAndLinks, ANamedPipeIsNotWaitedFor) {
  const std::string pipe = fifo("pipe.yaml");
  const std::string spec =
      fmt::format("workloads: {}\nplatforms: three-32x32\nschedules: layerpipe\n", pipe);
  const std::string results = file("results.csv");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", pipe},
        {"simulate", pipe, sample},
        {"simulate", three, pipe},
        {"simulate", three, sample, "--allocation", pipe},
        {"sweep", pipe, "--output", results},
        {"sweep", write("spec.yaml", spec), "--output", results}}) {
    const Answer answer = run_program(words, "", ten_seconds);
    EXPECT_EQ(answer.exit_code, 3) << words[0];
    EXPECT_THAT(answer.err, testing::HasSubstr(pipe + ": is not a")) << words[0];
  }
}

TEST_F(PipesAndLinks, APipeThatNobodyReadsIsNoOutput) {
  const std::string pipe = fifo("out.csv");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"platform", "--output", pipe},
        {"simulate", three, sample, "--trace", pipe}}) {
    const Answer answer = run_program(words, "", ten_seconds);
    EXPECT_EQ(answer.exit_code, 74) << words[0];
    EXPECT_EQ(answer.err, "layerpipe: " + pipe +
                              ": cannot be written: nobody reads this pipe (expected a reader "
                              "within 2 s)\n");
  }
}

// The reader opens the pipe half a second after the program has been started.
TEST_F(PipesAndLinks, APipeIsAnOutputForWhoeverReadsIt) {
  const std::string pipe = fifo("out");
  const std::string read = file("read");
  const Answer answer = run_program({"platform", "--output", pipe}, "; code=$?; wait; exit $code",
                                    fmt::format("(sleep 0.5; cat {} > {}) & ", pipe, read));
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(content(read), run_program({"platform"}).out);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(PipesAndLinks, AJournalIsARegularFile) {
  const std::string spec =
      write("spec.yaml", "workloads: sample4\nplatforms: three-32x32\nschedules: layerpipe\n");
  const std::string journal = fifo("results.csv.journal");
  const Answer answer =
      run_program({"sweep", spec, "--output", file("results.csv")}, "", ten_seconds);
  EXPECT_EQ(answer.exit_code, 74);
  EXPECT_EQ(answer.err,
            "layerpipe: " + journal + ": is not a regular file (expected one, or none)\n");
  EXPECT_TRUE(fs::is_fifo(journal));
}

TEST_F(PipesAndLinks, AWorkloadComesFromTheStandardInput) {
  const auto period = [](const Answer& answer) {
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return nlohmann::json::parse(answer.out)["steady_state"]["period_cycles"].get<double>();
  };
  for (const char* name : {"-", "/dev/stdin"}) {
    const std::vector<std::string> words{"simulate", three, name, "--format", "json"};
    EXPECT_EQ(period(run_on_pipe(words, sample)), 32007170.0) << name;
    EXPECT_EQ(period(run_program(words, "< " + sample)), 32007170.0) << name;
  }
  EXPECT_EQ(run_on_pipe({"check", "-"}, sample).exit_code, 0);
  const Answer bad = run_on_pipe({"profile", three, "-"}, "README.md");
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, testing::StartsWith("layerpipe: standard input:"));
}

TEST_F(PipesAndLinks, TheStandardInputIsReadOnce) {
  for (const char* again : {"-", "/dev/stdin"}) {
    const Answer answer = run_on_pipe({"check", "-", three, again}, sample);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err,
              "layerpipe: FILE: the standard input is named twice (expected once: it is read "
              "once)\n");
  }
}

TEST_F(PipesAndLinks, APlatformDoesNot) {
  const Answer answer = run_on_pipe({"simulate", "-", sample}, three);
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_EQ(answer.err,
            "layerpipe: a platform cannot be read from the standard input (expected a file: "
            "SimGrid loads no other)\n");
}

TEST_F(PipesAndLinks, LinksStayAndLeadToTheOutput) {
  const std::string expected = run_program({"platform"}).out;
  fs::create_directory(file("there"));
  for (const bool exists : {true, false}) {
    const std::string target = file("there/target.xml");
    fs::remove(target);
    if (exists) static_cast<void>(write("there/target.xml", "before"));
    fs::remove(file("link.xml"));
    fs::create_symlink("second.xml", file("link.xml"));
    fs::remove(file("second.xml"));
    fs::create_symlink("there/target.xml", file("second.xml"));
    const Answer answer = run_program({"platform", "--output", file("link.xml")});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_TRUE(fs::is_symlink(file("link.xml")));
    EXPECT_TRUE(fs::is_symlink(file("second.xml")));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target)));
    EXPECT_EQ(content(target), expected);
  }
}

TEST_F(PipesAndLinks, LinksOfTracesSweepsAndJournalsStay) {
  for (const char* name : {"trace.csv", "results.csv", "results.csv.journal"}) {
    fs::create_symlink(std::string("real-") + name, file(name));
  }
  EXPECT_EQ(
      run_program({"simulate", three, sample, "--iterations", "5", "--trace", file("trace.csv")})
          .exit_code,
      0);
  const std::string spec =
      write("spec.yaml", "workloads: sample4\nplatforms: three-32x32\nschedules: layerpipe\n");
  EXPECT_EQ(run_program({"sweep", spec, "--output", file("results.csv")}).exit_code, 0);
  for (const char* name : {"trace.csv", "results.csv", "results.csv.journal"}) {
    EXPECT_TRUE(fs::is_symlink(file(name))) << name;
  }
  EXPECT_TRUE(fs::is_regular_file(file("real-trace.csv")));
  EXPECT_TRUE(fs::is_regular_file(file("real-results.csv")));
  EXPECT_FALSE(fs::exists(file("real-results.csv.journal")));
}

TEST_F(PipesAndLinks, LinksInACircleAreRefused) {
  fs::create_symlink("b", file("a"));
  fs::create_symlink("a", file("b"));
  const Answer answer = run_program({"platform", "--output", file("a")});
  EXPECT_EQ(answer.exit_code, 74);
  EXPECT_EQ(answer.err,
            "layerpipe: " + file("a") + ": cannot be written: Too many levels of symbolic links\n");
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(file("a"))));
}

// 128 + 13, as a shell says of a process that SIGPIPE has ended. The reader has gone before 4096
// processors (about 1 MB, more than a pipe holds) are written.
TEST_F(PipesAndLinks, AClosedPipeEndsTheProgramQuietly) {
  const Answer answer = run_program({"platform", "--processors", "4096", "--topology", "chain"},
                                    fmt::format("; echo $? > {}) | true", file("code")), "(");
  EXPECT_EQ(answer.err, "");
  EXPECT_EQ(content(file("code")), "141\n");
}

// A soft limit ends a process by SIGXCPU, a hard one by SIGKILL.
TEST_F(PipesAndLinks, ALimitOfComputingTimeIsNamed) {
  for (const char* limit : {"ulimit -S -t 1; ", "ulimit -t 1; "}) {
    const Answer answer =
        run_program({"simulate", three, sample, "--iterations", "1000000000"}, "", limit);
    EXPECT_EQ(answer.exit_code, 71) << limit;
    EXPECT_EQ(answer.err,
              "layerpipe: out of computing time after 1 s (expected a higher limit (ulimit -t) or "
              "fewer processors or iterations)\n");
  }
}

TEST_F(PipesAndLinks, ASmallStackIsEnough) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list"}, {"check", three, sample}, {"simulate", three, sample}}) {
    const Answer answer = run_program(words, "", "ulimit -s 64; ");
    EXPECT_EQ(answer.exit_code, 0) << words[0] << answer.err;
  }
}

}  // namespace
}  // namespace layerpipe::tests
