#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The platforms and workloads that come with the program. Each is a file, and its name is that of
/// the file without folder and extension.
namespace layerpipe::cli {

/// A kind of such files.
struct ShippedKind {
  std::string_view noun;
  std::string_view folder;  ///< in the data folder
  std::string_view extension;
};

inline constexpr ShippedKind shipped_platforms{"platform", "platforms", ".xml"};
inline constexpr ShippedKind shipped_workloads{"workload", "workloads", ".yaml"};

/// Where the files of all kinds are: a folder that keeps its place relative to the running program,
/// in an installation that was moved as in the folder of a build.
[[nodiscard]] std::filesystem::path data_folder();

/// The files of `kind` in `data`, in natural order of their names. Throws InputError if their
/// folder cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> shipped_files(const std::filesystem::path& data,
                                                               const ShippedKind& kind);

/// The shipped file, of one of `kinds`, that `argument` names: none if it looks like a path, for it
/// has a slash or the extension of a kind, or if there is a file of that name. Paths are relative
/// to `folder`, or else to the working directory.
[[nodiscard]] std::optional<std::string> find_shipped(const std::filesystem::path& data,
                                                      std::span<const ShippedKind> kinds,
                                                      const std::string& argument,
                                                      const std::filesystem::path& folder = {});

/// The file that `argument` means: a shipped one, or itself, in `folder` if it is relative; "-" is
/// the standard input, for a workload and without a folder. Throws
/// InputError, with the nearest name, if it does not look like a path and nothing has that name,
/// and with the name to use if it is the path of no file, but ends as that of a shipped one.
[[nodiscard]] std::string input_file(const std::filesystem::path& data,
                                     std::span<const ShippedKind> kinds,
                                     const std::string& argument,
                                     const std::filesystem::path& folder = {});

}  // namespace layerpipe::cli
