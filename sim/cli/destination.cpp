#include "sim/cli/destination.hpp"

namespace layerpipe::sim::cli {

Destination::Destination(const std::optional<std::string>& file) {
  if (file) file_.emplace(*file);
}

void Destination::write(std::string_view text) {
  if (!file_) return write_standard_output(text);
  file_->stream() << text;
  file_->commit();
}

}  // namespace layerpipe::sim::cli
