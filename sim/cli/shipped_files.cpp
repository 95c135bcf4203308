#include "sim/cli/shipped_files.hpp"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <algorithm>
#include <system_error>

#include "platforms/machine/machine.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::cli {
namespace {

namespace fs = std::filesystem;

/// The path by which the program was executed. Unlike /proc/self/exe it is there in a root without
/// /proc, too.
const char* program_path() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel's own form of it
  return reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
}

bool looks_like_path(std::span<const ShippedKind> kinds, const std::string& argument) {
  return argument.find('/') != std::string::npos ||
         std::ranges::any_of(
             kinds, [&](const ShippedKind& kind) { return argument.ends_with(kind.extension); });
}

/// The noun of the kind that has a shipped file named `argument`; empty if none has.
std::string_view noun_of(const fs::path& data, const std::string& argument) {
  for (const ShippedKind& kind : {shipped_platforms, shipped_workloads}) {
    if (find_shipped(data, std::span(&kind, 1), argument)) return kind.noun;
  }
  return {};
}

[[noreturn]] void refuse(const fs::path& data, std::span<const ShippedKind> kinds,
                         const std::string& argument) {
  std::vector<std::string> names;
  std::vector<std::string_view> nouns;
  for (const ShippedKind& kind : kinds) {
    nouns.push_back(kind.noun);
    for (const fs::path& file : shipped_files(data, kind)) names.push_back(file.stem().string());
  }
  if (const std::string_view noun = noun_of(data, argument); !noun.empty()) {
    throw InputError(fmt::format("{} is a {} (expected a {}; are platform and workload swapped?)",
                                 base::in_quotes(argument), noun, base::one_of(nouns)));
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto near = base::nearest(argument, candidates);
  throw InputError(fmt::format(
      "no file and no shipped {} is named {} ({})", base::one_of(nouns), base::in_quotes(argument),
      near ? fmt::format("nearest: {}; `layerpipe list` names all", *near)
           : std::string("expected a file, or a name from `layerpipe list`")));
}

/// Throws InputError if a shipped file, of one of `kinds`, has the name that `missing` has without
/// its folder.
void refuse_if_shipped(const fs::path& data, std::span<const ShippedKind> kinds,
                       const fs::path& missing) {
  std::error_code error;
  for (const ShippedKind& kind : kinds) {
    if (missing.extension() != kind.extension) continue;
    if (!fs::is_regular_file(data / kind.folder / missing.filename(), error)) continue;
    throw InputError({missing.string(), 0, 0},
                     fmt::format("no such file (the shipped one is named {})",
                                 base::in_quotes(missing.stem().string())));
  }
}

}  // namespace

fs::path data_folder() {
  std::error_code error;
  const fs::path folder = fs::canonical(program_path(), error).parent_path();
  return (folder / LAYERPIPE_DATA_FROM_PROGRAM).lexically_normal();
}

std::vector<fs::path> shipped_files(const fs::path& data, const ShippedKind& kind) {
  const fs::path folder = data / kind.folder;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kind.extension) files.push_back(entry->path());
  }
  if (error) {
    throw InputError({folder.string(), 0, 0},
                     fmt::format("cannot be read: {} (expected the {}s that come with layerpipe)",
                                 error.message(), kind.noun));
  }
  std::ranges::sort(files, [](const fs::path& left, const fs::path& right) {
    return machine::natural_less(left.stem().string(), right.stem().string());
  });
  return files;
}

std::optional<std::string> find_shipped(const fs::path& data, std::span<const ShippedKind> kinds,
                                        const std::string& argument, const fs::path& folder) {
  std::error_code error;
  const fs::file_status given = fs::status(folder / argument, error);
  if (looks_like_path(kinds, argument) || (fs::exists(given) && !fs::is_directory(given))) {
    return std::nullopt;
  }
  for (const ShippedKind& kind : kinds) {
    const fs::path file = data / kind.folder / (argument + std::string(kind.extension));
    if (fs::is_regular_file(file, error)) return file.string();
  }
  return std::nullopt;
}

std::string input_file(const fs::path& data, std::span<const ShippedKind> kinds,
                       const std::string& argument, const fs::path& folder) {
  const auto is_workload = [](const ShippedKind& kind) {
    return kind.noun == shipped_workloads.noun;
  };
  if (argument == base::standard_input && folder.empty()) {
    if (std::ranges::any_of(kinds, is_workload)) return argument;
    throw InputError(
        "a platform cannot be read from the standard input (expected a file: SimGrid "
        "loads no other)");
  }
  if (const auto shipped = find_shipped(data, kinds, argument, folder)) return *shipped;
  std::error_code error;
  const fs::path path = folder / argument;
  if (fs::exists(path, error)) return path.string();
  if (!looks_like_path(kinds, argument)) refuse(data, kinds, argument);
  refuse_if_shipped(data, kinds, path);
  return path.string();
}

}  // namespace layerpipe::cli
