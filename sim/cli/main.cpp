#include <fcntl.h>
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>

#include "sim/cli/complain.hpp"
#include "sim/cli/program.hpp"
#include "sim/process/output_file.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/resource_error.hpp"

namespace {

int complain(const std::string& message, int exit_code) {
  layerpipe::cli::complain(message);
  return exit_code;
}

/// A standard stream that is closed would lend its number to the next file that is opened. Held by
/// a descriptor that cannot be written, it reports the error that it should.
void hold_standard_streams() {
  for (const int descriptor : {0, 1, 2}) {
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
  }
}

/// As other programs: whoever has closed the pipe, such as `head`, wants no complaint.
void end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  static_cast<void>(std::raise(SIGPIPE));
}

}  // namespace

int main(int argc, char** argv) {
  // A closed pipe, or a file above the limit, is an error of the write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  hold_standard_streams();
  try {
    return layerpipe::cli::run_program(argc, argv);
  } catch (const layerpipe::process::ClosedPipe& error) {
    end_by_closed_pipe();
    return complain(error.what(), error.exit_code());
  } catch (const layerpipe::Error& error) {
    return complain(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    const layerpipe::OutOfMemory error;
    return complain(error.what(), error.exit_code());
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}", error.what()),
                    layerpipe::InternalError("").exit_code());
  }
}
