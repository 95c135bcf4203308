#include "scheduler/discipline/pytorch_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::discipline {

namespace {

constexpr std::string_view digits = "0123456789";

constexpr std::array<std::pair<std::string_view, CellKind>, 11> cell_names{{
    {"F", CellKind::forward},
    {"I", CellKind::input_gradient},
    {"W", CellKind::weight_gradient},
    {"B", CellKind::backward},
    {"SEND_F", CellKind::send_activation},
    {"RECV_F", CellKind::receive_activation},
    {"SEND_B", CellKind::send_gradient},
    {"RECV_B", CellKind::receive_gradient},
    {"UNSHARD", CellKind::unshard},
    {"RESHARD", CellKind::reshard},
    {"REDUCE_GRAD", CellKind::reduce_gradient},
}};

/// Without spaces around it, and without quotes around that.
std::string_view trimmed(std::string_view cell) {
  const auto without_spaces = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return text.substr(0, 0);
    return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
  };
  cell = without_spaces(cell);
  const bool is_quoted = cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
  return is_quoted ? without_spaces(cell.substr(1, cell.size() - 2)) : cell;
}

class CellReader {
 public:
  CellReader(std::string_view text, const std::string& file)
      : cells_{base::normalized_text(text, file), file, {}} {}

  PytorchCells read() && {
    const std::string_view text = cells_.text;
    const std::size_t end = text.find_last_not_of('\n');
    if (end == std::string_view::npos) {
      throw InputError({cells_.file},
                       "there are no actions (expected a row of them for each rank)");
    }
    for (std::size_t begin = 0; begin <= end;) {
      const std::size_t line_end = std::min(text.find('\n', begin), text.size());
      read_row(begin, line_end);
      begin = line_end + 1;
    }
    return std::move(cells_);
  }

 private:
  void read_row(std::size_t begin, std::size_t end) {
    const std::string_view text = cells_.text;
    std::vector<PytorchCell>& row = cells_.rows.emplace_back();
    for (std::size_t cell = begin; cell <= end;) {
      const std::size_t comma = std::min(text.find(',', cell), end);
      const std::string_view content = trimmed(text.substr(cell, comma - cell));
      if (!content.empty()) row.push_back(read_cell(content));
      cell = comma + 1;
    }
    if (!row.empty()) return;
    fail(begin, fmt::format("rank {} has no actions (expected a row for each rank, with cells such "
                            "as 0F0)",
                            cells_.rows.size() - 1));
  }

  [[nodiscard]] PytorchCell read_cell(std::string_view content) const {
    PytorchCell cell;
    cell.offset = static_cast<std::size_t>(content.data() - cells_.text.data());
    if (content.find("OVERLAP_F_B") != std::string_view::npos) {
      fail(cell.offset,
           fmt::format("{}: a processor executes one operation at a time (expected each action in "
                       "a cell of its own, in the order of their execution)",
                       base::in_quotes(content)));
    }
    const std::size_t name_at = std::min(content.find_first_not_of(digits), content.size());
    const std::size_t name_end = content.find_last_not_of(digits) + 1;
    const std::string_view name =
        name_end > name_at ? content.substr(name_at, name_end - name_at) : std::string_view();
    const auto found =
        std::ranges::find(cell_names, name, &std::pair<std::string_view, CellKind>::first);
    if (name_at == 0 || found == cell_names.end()) fail_unknown(content, cell.offset);
    cell.kind = found->second;
    cell.stage = read_number(content.substr(0, name_at));
    const std::string_view micro_batch = content.substr(name_end);
    const bool needs_one = is_computed(cell.kind) || is_message(cell.kind);
    if (micro_batch.empty() == needs_one) fail_unknown(content, cell.offset);
    if (needs_one) cell.micro_batch = read_number(micro_batch);
    return cell;
  }

  [[nodiscard]] std::size_t read_number(std::string_view number) const {
    constexpr std::size_t most_digits = 6;
    if (number.size() > most_digits) {
      fail(static_cast<std::size_t>(number.data() - cells_.text.data()),
           fmt::format("number {} is too large (expected at most {} digits)",
                       base::in_quotes(number), most_digits));
    }
    std::size_t value = 0;
    for (const char digit : number) value = 10 * value + static_cast<std::size_t>(digit - '0');
    return value;
  }

  [[noreturn]] void fail_unknown(std::string_view content, std::size_t offset) const {
    if (content.find("BW") != std::string_view::npos) {
      fail(offset, fmt::format("unknown action {} (expected B for a whole backward pass and I for "
                               "input gradients, which older versions of PyTorch call BW and B)",
                               base::in_quotes(content)));
    }
    fail(offset,
         fmt::format("unknown action {} (expected a stage, F, B, I or W, and a micro-batch, "
                     "such as 2F0, or SEND_F, RECV_F, SEND_B or RECV_B between them)",
                     base::in_quotes(content)));
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    throw InputError(base::position_in(cells_.text, offset, cells_.file), what);
  }

  PytorchCells cells_;
};

}  // namespace

bool is_computed(CellKind kind) { return kind <= CellKind::backward; }

bool is_message(CellKind kind) { return !is_computed(kind) && kind <= CellKind::receive_gradient; }

std::string to_string(const PytorchCell& cell) {
  const auto name =
      std::ranges::find(cell_names, cell.kind, &std::pair<std::string_view, CellKind>::second);
  const bool has_micro_batch = is_computed(cell.kind) || is_message(cell.kind);
  return fmt::format("{}{}{}", cell.stage, name->first,
                     has_micro_batch ? std::to_string(cell.micro_batch) : "");
}

void PytorchCells::fail(const PytorchCell& cell, const std::string& what) const {
  throw InputError(base::position_in(text, cell.offset, file), what);
}

PytorchCells read_pytorch_cells(std::string_view text, const std::string& file) {
  return CellReader(text, file).read();
}

}  // namespace layerpipe::discipline
