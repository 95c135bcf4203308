#include "sim/cli/destination.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "sim/trace/trace_formats.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::cli {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (a.empty() || b.empty()) return false;  // std::filesystem has no absolute path of them
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  if (fs::equivalent(a, b, error)) return true;
  return fs::weakly_canonical(fs::absolute(a), error) ==
         fs::weakly_canonical(fs::absolute(b), error);
}

}  // namespace

void require_different_files(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      if (!files[i].path || !files[j].path || !is_same_file(*files[i].path, *files[j].path))
        continue;
      throw UsageError(fmt::format("{} and {} name the same file (expected two different ones)",
                                   files[i].option, files[j].option));
    }
  }
}

std::vector<NamedFile> written_files(const OutputOptions& output,
                                     const std::vector<std::string>& traces) {
  std::vector<NamedFile> files;
  for (const std::string& trace : traces) {
    files.push_back({"--trace", trace});
    if (trace::needs_sidecar(trace))
      files.push_back({"the provenance of --trace", process::Sidecar::name(trace)});
  }
  if (!output.file) return files;
  files.push_back({"--output", output.file});
  if (output.format == report::Format::csv) {
    files.push_back({"the provenance of --output", process::Sidecar::name(*output.file)});
  }
  return files;
}

Destination::Destination(const OutputOptions& options) {
  if (!options.file) return;
  file_.emplace(*options.file);
  if (options.format == report::Format::csv) sidecar_.emplace(*options.file);
}

void Destination::write(std::string_view text, const process::Provenance& provenance) {
  if (!file_) return process::write_standard_output(text);
  file_->stream() << text;
  if (sidecar_) return sidecar_->commit(*file_, provenance);
  file_->commit();
}

}  // namespace layerpipe::cli
