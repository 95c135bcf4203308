#include "sim/sweep/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/process/digest.hpp"
#include "sim/process/output_file.hpp"
#include "sim/sweep/rows.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::sweep {
namespace {

constexpr std::chrono::seconds between_syncs(1);
constexpr mode_t mode_of_file = 0666;  // less what the umask takes away

/// Changes with the bytes of the spec and of the files that it names, whatever their names are.
std::string digest(const std::vector<process::InputFile>& inputs) {
  std::string digests;
  for (const process::InputFile& input : inputs) digests += input.sha256;
  return process::sha256(digests);
}

std::string line_of(const JournalTitle& title) {
  return fmt::format("{}, spec {}, share {}", title.program, digest(title.inputs), title.share);
}

/// Why a journal with the first line `found` is of another sweep.
std::string difference(std::string_view found, const JournalTitle& title) {
  if (found.starts_with(title.program + ',') && found.ends_with(" share " + title.share)) {
    return "the spec or a file that it names has changed since (expected them as they were; delete "
           "the journal to begin anew)";
  }
  return fmt::format("is of another sweep, {} (expected {}; delete the journal to begin anew)",
                     base::printable(found), line_of(title));
}

std::string line_of(const std::string& row) {
  return fmt::format("{} {}\n", process::sha256(row), row);
}

/// The row in `line`, which is one without its end of line; none if it is damaged.
std::optional<std::string> row_in(std::string_view line) {
  constexpr std::size_t digest_size = 64;
  if (line.size() <= digest_size) return std::nullopt;
  std::string row(line.substr(digest_size + 1));
  if (line.substr(0, digest_size) != process::sha256(row) || !point_of(row)) return std::nullopt;
  return row;
}

std::string content(int fd) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16U);
  for (ssize_t count; (count = ::read(fd, buffer.data(), buffer.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Journal::Journal(const std::string& path, const JournalTitle& title, Mode mode)
    : path_(process::followed(path)),
      file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, mode_of_file)) {
  if (file_.get() < 0) fail(errno);
  require_regular_file();
  lock();
  read(title, mode);
}

Journal::~Journal() {
  if (file_.get() >= 0 && rows_.empty()) ::unlink(path_.c_str());
}

void Journal::add(const std::string& row) {
  write(line_of(row));
  rows_.emplace(point_of(row).value(), row);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_sync_) return;
  next_sync_ = now + between_syncs;
  static_cast<void>(::fdatasync(file_.get()));
}

void Journal::remove() {
  if (::unlink(path_.c_str()) != 0) fail(errno);
  file_.close();
}

/// Of a pipe it could never read the end.
void Journal::require_regular_file() {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail(errno);
  if (S_ISREG(status.st_mode)) return;
  file_.close();
  throw OutputError(fmt::format("{}: is not a regular file (expected one, or none)", path_));
}

/// The lock is this process's own: its children do not have it, and it goes with the process. A
/// file system without locks goes without.
void Journal::lock() const {
  struct flock request {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  if (::fcntl(file_.get(), F_SETLK, &request) == 0) return;
  if (errno != EACCES && errno != EAGAIN) return;
  throw UsageError(
      fmt::format("{}: another process is writing it (expected one sweep at a time)", path_));
}

void Journal::read(const JournalTitle& title, Mode mode) {
  const std::string text = content(file_.get());
  const std::string first_line = line_of(title) + '\n';
  std::size_t good = text.find('\n') + 1;  // 0 if there is no whole line
  if (good > 0 && mode == Mode::begin) {
    throw UsageError(fmt::format(
        "{}: is of a sweep that was not finished (expected --resume, or no such file)", path_));
  }
  if (good > 0 && !text.starts_with(first_line)) {
    throw InputError({path_, 1, 0}, difference(std::string_view(text).substr(0, good - 1), title));
  }
  for (std::size_t end; good > 0 && (end = text.find('\n', good)) != std::string::npos;
       good = end + 1) {
    std::optional<std::string> row = row_in(std::string_view(text).substr(good, end - good));
    if (!row) break;
    const std::size_t point = point_of(*row).value();
    rows_.emplace(point, std::move(*row));
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(good)) != 0) fail(errno);
  if (::lseek(file_.get(), 0, SEEK_END) < 0) fail(errno);
  size_ = static_cast<off_t>(good);
  if (good == 0) write_title(first_line);
}

void Journal::write_title(const std::string& line) {
  try {
    write(line);
  } catch (const OutputError&) {
    ::unlink(path_.c_str());
    throw;
  }
}

void Journal::write(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      static_cast<void>(::ftruncate(file_.get(), size_));
      fail(error);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  size_ += static_cast<off_t>(text.size());
}

void Journal::fail(int error) const {
  throw OutputError(
      fmt::format("{}: cannot be written: {}", path_, std::generic_category().message(error)));
}

}  // namespace layerpipe::sweep
