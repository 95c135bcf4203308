#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::process {

/// Buffered bytes to a file descriptor. A write that fails makes the stream on it fail, and the
/// reason is kept.
class DescriptorBuffer : public std::streambuf {
 public:
  /// Does not own `descriptor`.
  explicit DescriptorBuffer(int descriptor);

  /// errno of the first write that failed, 0 if none did.
  [[nodiscard]] int error() const noexcept { return error_; }

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  int descriptor_;
  int error_ = 0;
  std::vector<char> buffer_;
};

/// Where a symbolic link at `path` leads to, through others, whether there is a file or not; `path`
/// itself if it is none. Throws OutputError for links that lead in a circle.
[[nodiscard]] std::string followed(const std::string& path);

/// What is written to is a pipe that nobody reads any more.
class ClosedPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

/// A file that appears under its name when it is whole, or not at all: it is written without a
/// name, so that nothing is left of it however the process ends, then named and moved to its place.
/// A symbolic link stays: its place is where that leads to.
/// A target that is no regular file (a device, a pipe) and everything in /dev is written to
/// directly.
///
/// A process may be forked while a file is open, to write it there: the copy calls `flush`, and
/// leaves without destroying it; the original then calls `commit`.
class OutputFile {
 public:
  /// Throws OutputError if the file cannot be written there, or is a pipe that nobody reads within
  /// 2 seconds.
  explicit OutputFile(const std::string& path);

  /// Removes what was not committed.
  ~OutputFile();

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream() { return stream_; }

  /// Throws OutputError if something written so far could not be.
  void flush();

  /// Makes the file whole under a temporary name: all of `commit` that may take space. Nothing can
  /// be written after it. Throws OutputError.
  void prepare();

  /// Gives the file its name. Throws OutputError if it is not whole.
  void commit();

 private:
  [[nodiscard]] static int open_beside(const std::string& target, std::string& temporary);
  void name_temporarily();
  void close_descriptor();

  std::string path_;              ///< as asked for, for messages
  std::string target_;            ///< where `path_` leads to
  bool replaces_target_ = false;  ///< else it is written to directly
  std::string temporary_;  ///< name that it has before it is moved to the target; may be none
  int descriptor_ = -1;
  std::unique_ptr<DescriptorBuffer> buffer_;
  std::ostream stream_{nullptr};
};

/// Writes to the standard output. Throws OutputError if that fails; SIGPIPE is to be ignored by the
/// process.
void write_standard_output(std::string_view text);

}  // namespace layerpipe::process
