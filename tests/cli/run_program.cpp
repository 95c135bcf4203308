#include "tests/cli/run_program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace layerpipe::tests {

namespace {

std::string quoted(const std::string& argument) {
  std::string result = "'";
  for (const char c : argument) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

}  // namespace

Answer run_program(const std::vector<std::string>& arguments, const std::string& redirection,
                   const std::string& preparation) {
  const std::string out = temporary_path("stdout");
  const std::string err = temporary_path("stderr");
  std::string command = "cd " + quoted(LAYERPIPE_SOURCE_DIR) + " && exec 2> " + quoted(err) +
                        " > " + quoted(out) + " && " + preparation + quoted(LAYERPIPE_PROGRAM);
  for (const std::string& argument : arguments) command += ' ' + quoted(argument);
  const int status = std::system((command + " < /dev/null " + redirection).c_str());
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
  std::remove(out.c_str());
  std::remove(err.c_str());
  return answer;
}

std::string temporary_path(const std::string& name) {
  return testing::TempDir() + "layerpipe-cli-" + std::to_string(::getpid()) + "-" + name;
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace layerpipe::tests
