#include "sim/process/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "workloads/base/error.hpp"

namespace layerpipe::process {
namespace {

constexpr mode_t default_mode = 0666;  // less what the umask takes away

[[noreturn]] void fail(const std::string& path, int error) {
  const std::string message =
      fmt::format("{}: cannot be written: {}", path, std::generic_category().message(error));
  if (error == EPIPE) throw ClosedPipe(message);
  throw OutputError(message);
}

constexpr int direct_flags = O_WRONLY | O_APPEND | O_CLOEXEC;

/// A descriptor on the pipe at `path`, as soon as somebody reads it. Whoever is started together
/// with this program needs a moment to open it; to wait for longer would be to hang without a word.
int open_pipe(const std::string& path) {
  using namespace std::chrono_literals;
  constexpr auto longest = 2s;
  const auto deadline = std::chrono::steady_clock::now() + longest;
  for (;;) {
    const int descriptor = ::open(path.c_str(), direct_flags | O_NONBLOCK);
    if (descriptor >= 0 && ::fcntl(descriptor, F_SETFL, O_APPEND) != 0) fail(path, errno);
    if (descriptor >= 0 || errno != ENXIO) return descriptor;
    if (std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(10ms);
  }
  throw OutputError(
      fmt::format("{}: cannot be written: nobody reads this pipe (expected a reader within {} s)",
                  path, longest.count()));
}

std::string folder(const std::string& target) {
  const std::filesystem::path parent = std::filesystem::path(target).parent_path();
  return parent.empty() ? "." : parent.string();
}

std::string temporary_name(const std::string& target, int attempt) {
  return fmt::format("{}/.layerpipe-{}-{}.tmp", folder(target), ::getpid(), attempt);
}

/// True for what has no name of its own to be replaced: devices, pipes, and descriptors such as
/// /dev/stdout, even if they lead to a regular file.
bool is_written_directly(const std::string& path, bool exists, const struct stat& status) {
  return exists && (!S_ISREG(status.st_mode) || path.starts_with("/dev/"));
}

}  // namespace

std::string followed(const std::string& path) {
  constexpr int most_links = 40;  // as the kernel
  namespace fs = std::filesystem;
  fs::path target = path;
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(target, error)); ++i) {
    if (i == most_links) fail(path, ELOOP);
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail(path, error.value());
    target = target.parent_path() / next;  // next alone if it is absolute
  }
  return target.string();
}

DescriptorBuffer::DescriptorBuffer(int descriptor)
    : descriptor_(descriptor), buffer_(std::size_t{1} << 16U) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) {
    sputc(traits_type::to_char_type(character));
  }
  return traits_type::not_eof(character);
}

int DescriptorBuffer::sync() {
  const char* begin = pbase();
  while (error_ == 0 && begin != pptr()) {
    const ssize_t written = ::write(descriptor_, begin, static_cast<std::size_t>(pptr() - begin));
    if (written >= 0) begin += written;
    if (written < 0 && errno != EINTR) error_ = errno;
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? 0 : -1;
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(followed(path)) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (path.empty()) fail("''", ENOENT);
  if (exists && S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (exists && ::access(path.c_str(), W_OK) != 0) fail(path, errno);
  if (is_written_directly(path, exists, status)) {
    descriptor_ = S_ISFIFO(status.st_mode) ? open_pipe(path) : ::open(path.c_str(), direct_flags);
  } else {
    replaces_target_ = true;
    descriptor_ = open_beside(target_, temporary_);
    if (descriptor_ >= 0 && exists) ::fchmod(descriptor_, status.st_mode & 07777);
  }
  if (descriptor_ < 0) fail(path, errno);
  buffer_ = std::make_unique<DescriptorBuffer>(descriptor_);
  stream_.rdbuf(buffer_.get());
}

/// A file without a name, which the kernel removes with the process however that ends; where the
/// file system has none, a file of a name that nobody uses, which is left in `temporary`.
int OutputFile::open_beside(const std::string& target, std::string& temporary) {
  const int unnamed =
      ::open(folder(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, default_mode);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
  for (int attempt = 0;; ++attempt) {
    const std::string name = temporary_name(target, attempt);
    const int descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, default_mode);
    if (descriptor >= 0) temporary = name;
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

/// Gives the file without a name a temporary one.
void OutputFile::name_temporarily() {
  const std::string source = fmt::format("/proc/self/fd/{}", descriptor_);
  for (int attempt = 0;; ++attempt) {
    const std::string name = temporary_name(target_, attempt);
    if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) fail(path_, errno);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::flush() {
  stream_.flush();
  if (buffer_->error() != 0) fail(path_, buffer_->error());
}

void OutputFile::close_descriptor() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 && errno != EINTR) fail(path_, errno);
}

void OutputFile::prepare() {
  flush();
  if (replaces_target_ && temporary_.empty()) name_temporarily();
  close_descriptor();
}

void OutputFile::commit() {
  if (descriptor_ >= 0) prepare();
  if (!replaces_target_) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, errno);
  temporary_.clear();
}

void write_standard_output(std::string_view text) {
  DescriptorBuffer buffer(STDOUT_FILENO);
  std::ostream stream(&buffer);
  stream << text << std::flush;
  if (buffer.error() != 0) fail("standard output", buffer.error());
}

}  // namespace layerpipe::process
