#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace layerpipe::discipline {

/// What a cell of torch.distributed.pipelining says (docs/formats/pytorch_schedule.md).
enum class CellKind {
  forward,             ///< F
  input_gradient,      ///< I
  weight_gradient,     ///< W
  backward,            ///< B: both gradients
  send_activation,     ///< SEND_F
  receive_activation,  ///< RECV_F
  send_gradient,       ///< SEND_B
  receive_gradient,    ///< RECV_B
  unshard,
  reshard,
  reduce_gradient,
};

[[nodiscard]] bool is_computed(CellKind kind);
[[nodiscard]] bool is_message(CellKind kind);

struct PytorchCell {
  CellKind kind = CellKind::forward;
  std::size_t stage = 0;
  std::size_t micro_batch = 0;  ///< none where it is neither computed nor a message
  std::size_t offset = 0;       ///< of its first character in the text
};

/// "2F0".
[[nodiscard]] std::string to_string(const PytorchCell& cell);

/// A file of such cells.
struct PytorchCells {
  std::string text;  ///< normalized
  std::string file;
  std::vector<std::vector<PytorchCell>> rows;  ///< [rank], without empty cells

  /// Throws InputError with the place of the cell.
  [[noreturn]] void fail(const PytorchCell& cell, const std::string& what) const;
};

/// Throws InputError, with its place, for a cell that is no action or one that has no meaning here,
/// for a row without actions, and for a file without rows. Blank lines at the end are none.
[[nodiscard]] PytorchCells read_pytorch_cells(std::string_view text, const std::string& file);

}  // namespace layerpipe::discipline
