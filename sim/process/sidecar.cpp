#include "sim/process/sidecar.hpp"

#include <filesystem>
#include <system_error>

namespace layerpipe::process {

std::string Sidecar::name(const std::string& file) { return file + ".provenance.json"; }

Sidecar::Sidecar(const std::string& file) : name_(name(file)) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const bool has_place = !exists(status) || is_regular_file(status);
  if (has_place && !file.starts_with("/dev/")) output_.emplace(name_);
}

void Sidecar::commit(OutputFile& file, const Provenance& provenance) {
  if (!output_) return file.commit();
  output_->stream()
      << to_json(provenance).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
      << '\n';
  output_->prepare();
  file.prepare();
  std::error_code error;
  std::filesystem::remove(name_, error);
  file.commit();
  output_->commit();
}

}  // namespace layerpipe::process
