#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>

namespace layerpipe::tests {

/// The two ends of a terminal.
class Terminal {
 public:
  Terminal() {
    if (::openpty(&screen_, &program_, nullptr, nullptr, nullptr) != 0) ADD_FAILURE();
    ::fcntl(screen_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    ::close(screen_);
    ::close(program_);
  }
  [[nodiscard]] int program() const { return program_; }

  /// Of the program's end, for a shell.
  [[nodiscard]] std::string path() const {
    std::array<char, 256> name{};
    EXPECT_EQ(::ttyname_r(program_, name.data(), name.size()), 0);
    return name.data();
  }

  /// What has been shown since the last call.
  [[nodiscard]] std::string shown() const {
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(screen_, buffer.data(), buffer.size());
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : "";
  }

 private:
  int screen_ = -1;
  int program_ = -1;
};

}  // namespace layerpipe::tests
