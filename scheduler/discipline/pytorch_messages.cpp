#include "scheduler/discipline/pytorch_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace layerpipe::discipline {

namespace {

/// What a stage sends to a neighbour.
struct Message {
  std::size_t from = 0;  ///< stage
  std::size_t to = 0;    ///< stage
  std::size_t micro_batch = 0;

  friend auto operator<=>(const Message&, const Message&) = default;
};

bool is_forward(CellKind kind) {
  return kind == CellKind::send_activation || kind == CellKind::receive_activation;
}

bool is_sent(CellKind kind) {
  return kind == CellKind::send_activation || kind == CellKind::send_gradient;
}

/// The first or last stage lacks a neighbour on one side: its number is then out of range.
Message message_of(const PytorchCell& cell) {
  const bool to_next = is_forward(cell.kind) == is_sent(cell.kind);
  const std::size_t other = to_next ? cell.stage + 1 : cell.stage - 1;
  return is_sent(cell.kind) ? Message{cell.stage, other, cell.micro_batch}
                            : Message{other, cell.stage, cell.micro_batch};
}

std::string cell_text(const Message& message, bool sent) {
  const bool forward = message.from < message.to;
  const CellKind kind = sent
                            ? (forward ? CellKind::send_activation : CellKind::send_gradient)
                            : (forward ? CellKind::receive_activation : CellKind::receive_gradient);
  return to_string(PytorchCell{kind, sent ? message.from : message.to, message.micro_batch, 0});
}

class MessageCheck {
 public:
  MessageCheck(const PytorchCells& cells, const std::vector<costs::ProcessorId>& rank_of_stage)
      : cells_(cells), rank_of_stage_(rank_of_stage) {}

  void run() {
    for (const std::vector<PytorchCell>& row : cells_.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (is_message(row[i].kind)) add(row, i);
      }
    }
    if (sent_.empty() && received_.empty()) return;
    for (const std::vector<PytorchCell>& row : cells_.rows) {
      for (const PytorchCell& cell : row) check_listed(cell);
    }
    check_orders();
  }

 private:
  using Listed = std::pair<Message, const PytorchCell*>;

  void add(const std::vector<PytorchCell>& row, std::size_t place) {
    const PytorchCell& cell = row[place];
    const Message message = message_of(cell);
    const std::size_t other = message.from == cell.stage ? message.to : message.from;
    if (other >= rank_of_stage_.size()) {
      cells_.fail(cell, fmt::format("{}: there is no stage on that side (stages are 0 to {})",
                                    to_string(cell), rank_of_stage_.size() - 1));
    }
    if (rank_of_stage_[message.from] == rank_of_stage_[message.to]) {
      cells_.fail(cell, fmt::format("{}: stages {} and {} lie on one rank (expected nothing to be "
                                    "sent between them)",
                                    to_string(cell), message.from, message.to));
    }
    if (!(is_sent(cell.kind) ? sent_ : received_).insert(message).second) {
      cells_.fail(cell, fmt::format("{} is there a second time (expected once)", to_string(cell)));
    }
    check_place(row, place, message);
    const costs::ProcessorId peer = rank_of_stage_[other];
    listed_[{rank_of_stage_[cell.stage], peer}].emplace_back(message, &cell);
  }

  void check_place(const std::vector<PytorchCell>& row, std::size_t place,
                   const Message& message) const {
    const PytorchCell& cell = row[place];
    const auto here = row.begin() + static_cast<std::ptrdiff_t>(place);
    const auto is_partner = [&](const PytorchCell& other) {
      return other.stage == cell.stage && other.micro_batch == message.micro_batch &&
             (is_forward(cell.kind)
                  ? other.kind == CellKind::forward
                  : other.kind == CellKind::backward || other.kind == CellKind::input_gradient);
    };
    if (!is_sent(cell.kind)) {
      if (std::any_of(here, row.end(), is_partner)) return;
      cells_.fail(cell, fmt::format("{} comes after the action that needs it (expected before)",
                                    to_string(cell)));
    }
    auto before = here;
    while (before != row.begin() && !is_computed(std::prev(before)->kind)) --before;
    if (before != row.begin() && is_partner(*std::prev(before))) return;
    cells_.fail(cell, fmt::format("{} does not follow the action that makes it (expected right "
                                  "behind that: what an action makes is sent at its end)",
                                  to_string(cell)));
  }

  void check_listed(const PytorchCell& cell) const {
    if (!is_computed(cell.kind) || cell.kind == CellKind::weight_gradient) return;
    const bool forward = cell.kind == CellKind::forward;
    const std::size_t next = forward ? cell.stage + 1 : cell.stage - 1;
    if (next >= rank_of_stage_.size() || rank_of_stage_[next] == rank_of_stage_[cell.stage]) return;
    const Message message{cell.stage, next, cell.micro_batch};
    for (const bool sent : {true, false}) {
      if ((sent ? sent_ : received_).contains(message)) continue;
      cells_.fail(cell,
                  fmt::format("what {} makes is not {} (expected {} on rank {}, as there are "
                              "SEND and RECV cells)",
                              to_string(cell), sent ? "sent" : "received", cell_text(message, sent),
                              rank_of_stage_[sent ? message.from : message.to]));
    }
  }

  void check_orders() const {
    for (const auto& [ranks, here] : listed_) {
      const std::vector<Listed>& there = listed_.at({ranks.second, ranks.first});
      for (std::size_t i = 0; i < here.size(); ++i) {
        if (here[i].first == there[i].first) continue;
        cells_.fail(
            *here[i].second,
            fmt::format("{} meets {} of rank {} (expected the same order of what passes between "
                        "two ranks on both, without which they may wait for each other)",
                        to_string(*here[i].second), to_string(*there[i].second), ranks.second));
      }
    }
  }

  const PytorchCells& cells_;
  const std::vector<costs::ProcessorId>& rank_of_stage_;
  std::set<Message> sent_;
  std::set<Message> received_;
  std::map<std::pair<costs::ProcessorId, costs::ProcessorId>, std::vector<Listed>>
      listed_;  ///< [its own rank, the other one]
};

}  // namespace

void check_messages(const PytorchCells& cells,
                    const std::vector<costs::ProcessorId>& rank_of_stage) {
  MessageCheck(cells, rank_of_stage).run();
}

}  // namespace layerpipe::discipline
