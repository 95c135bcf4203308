#pragma once

#include <stdexcept>
#include <string>

namespace layerpipe {

/// The only exception that the libraries throw. `what()` is one line for the user: where, what is
/// wrong, what to do. Each kind of error is a class of its own with the exit code of the program.
class Error : public std::runtime_error {
 public:
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 protected:
  Error(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}

 private:
  int exit_code_;
};

/// The command line asks for something that no command offers.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(2, message) {}
};

/// A place in an input file; line and column count from 1, 0 where there is none.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// `file`, `file:line` or `file:line:column`, as far as it is known.
[[nodiscard]] std::string to_string(const SourcePosition& position);

/// An input file is wrong.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(3, message) {}
  InputError(const SourcePosition& position, const std::string& message)
      : Error(3, to_string(position) + ": " + message) {}
};

/// The inputs are good, but the request cannot be met with them.
class InfeasibleError : public Error {
 public:
  explicit InfeasibleError(const std::string& message) : Error(4, message) {}
};

/// A schedule came to a stop before all its operations were executed.
class DeadlockError : public Error {
 public:
  explicit DeadlockError(const std::string& message) : Error(5, message) {}
};

/// A promise that this program makes to itself was broken: a defect of ours, not of the input.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(70, message) {}
};

/// Output could not be written.
class OutputError : public Error {
 public:
  explicit OutputError(const std::string& message) : Error(74, message) {}
};

}  // namespace layerpipe
