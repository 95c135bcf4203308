#include "scheduler/discipline/pytorch_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scheduler/discipline/pytorch_cells.hpp"
#include "scheduler/discipline/pytorch_messages.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::discipline {

namespace {

ActionKind action_kind(CellKind kind) {
  switch (kind) {
    case CellKind::forward:
      return ActionKind::forward;
    case CellKind::input_gradient:
      return ActionKind::input_gradient;
    case CellKind::weight_gradient:
      return ActionKind::weight_gradient;
    default:
      return ActionKind::backward;
  }
}

CellKind cell_kind(ActionKind kind) {
  switch (kind) {
    case ActionKind::forward:
      return CellKind::forward;
    case ActionKind::input_gradient:
      return CellKind::input_gradient;
    case ActionKind::weight_gradient:
      return CellKind::weight_gradient;
    case ActionKind::backward:
      return CellKind::backward;
  }
  throw InternalError("unknown action of a stage");
}

class ProgramReader {
 public:
  explicit ProgramReader(const PytorchCells& cells) : cells_(cells) {}

  PytorchSchedule read() {
    find_stages();
    for (const std::vector<PytorchCell>& row : cells_.rows) {
      std::vector<Action>& actions = schedule_.program.emplace_back();
      for (const PytorchCell& cell : row) {
        if (!is_computed(cell.kind)) continue;
        add(cell);
        actions.push_back({action_kind(cell.kind), cell.stage, cell.micro_batch});
      }
    }
    check_whole();
    check_messages(cells_, schedule_.rank_of_stage);
    return std::move(schedule_);
  }

 private:
  /// Of one stage and micro-batch.
  using Pass = std::map<CellKind, const PytorchCell*>;

  void find_stages() {
    std::map<std::size_t, std::pair<costs::ProcessorId, const PytorchCell*>> stages;
    for (costs::ProcessorId rank = 0; rank < cells_.rows.size(); ++rank) {
      for (const PytorchCell& cell : cells_.rows[rank]) {
        const auto [found, is_new] = stages.insert({cell.stage, {rank, &cell}});
        if (is_new || found->second.first == rank) continue;
        cells_.fail(cell, fmt::format("stage {} is on rank {} (expected rank {}, as of {} there)",
                                      cell.stage, rank, found->second.first,
                                      to_string(*found->second.second)));
      }
    }
    for (const auto& [stage, place] : stages) {
      if (stage != schedule_.rank_of_stage.size()) {
        cells_.fail(
            *place.second,
            fmt::format("stage {}, but no stage {} (expected stages from 0 on, without gaps)",
                        stage, schedule_.rank_of_stage.size()));
      }
      schedule_.rank_of_stage.push_back(place.first);
    }
  }

  void add(const PytorchCell& cell) {
    schedule_.micro_batches = std::max(schedule_.micro_batches, cell.micro_batch + 1);
    Pass& pass = passes_[{cell.stage, cell.micro_batch}];
    if (!pass.insert({cell.kind, &cell}).second) {
      cells_.fail(cell, fmt::format("{} is there a second time (expected once)", to_string(cell)));
    }
    const auto require = [&](CellKind earlier) {
      if (pass.contains(earlier)) return;
      cells_.fail(cell, fmt::format("{} before {} (expected after it, on the same rank)",
                                    to_string(cell), text(earlier, cell.stage, cell.micro_batch)));
    };
    if (cell.kind == CellKind::forward) return;
    require(CellKind::forward);
    const bool is_whole = pass.contains(CellKind::backward);
    if (is_whole && pass.size() > 2) {
      cells_.fail(cell, fmt::format("{} beside {} (expected B, or I and W)", to_string(cell),
                                    to_string(*another(pass, cell))));
    }
    if (cell.kind == CellKind::weight_gradient) require(CellKind::input_gradient);
  }

  static const PytorchCell* another(const Pass& pass, const PytorchCell& cell) {
    return std::ranges::find_if(pass,
                                [&](const auto& entry) {
                                  return entry.first != CellKind::forward &&
                                         entry.first != cell.kind;
                                })
        ->second;
  }

  static std::string text(CellKind kind, std::size_t stage, std::size_t micro_batch) {
    return to_string(PytorchCell{kind, stage, micro_batch, 0});
  }

  void check_whole() const {
    for (std::size_t s = 0; s < schedule_.rank_of_stage.size(); ++s) {
      for (std::size_t j = 0; j < schedule_.micro_batches; ++j) check_pass(s, j);
    }
  }

  void check_pass(std::size_t stage, std::size_t micro_batch) const {
    const auto found = passes_.find({stage, micro_batch});
    const PytorchCell& first = cells_.rows[schedule_.rank_of_stage[stage]].front();
    const auto fail = [&](const PytorchCell& at, const std::string& missing) {
      cells_.fail(at,
                  fmt::format("no {} (expected each stage to have all of micro-batches 0 to {})",
                              missing, schedule_.micro_batches - 1));
    };
    if (found == passes_.end()) fail(first, text(CellKind::forward, stage, micro_batch));
    const Pass& pass = found->second;
    if (pass.contains(CellKind::backward) || pass.contains(CellKind::weight_gradient)) return;
    const auto input_gradient = pass.find(CellKind::input_gradient);
    if (input_gradient != pass.end()) {
      fail(*input_gradient->second, text(CellKind::weight_gradient, stage, micro_batch));
    }
    fail(*pass.at(CellKind::forward),
         text(CellKind::backward, stage, micro_batch) + ", or I and W,");
  }

  const PytorchCells& cells_;
  PytorchSchedule schedule_;
  std::map<std::pair<std::size_t, std::size_t>, Pass> passes_;  ///< [stage, micro-batch]
};

}  // namespace

PytorchSchedule parse_pytorch_schedule(std::string_view text, const std::string& file) {
  const PytorchCells cells = read_pytorch_cells(text, file);
  return ProgramReader(cells).read();
}

std::string pytorch_csv(const Program& program) {
  std::string text;
  for (const std::vector<Action>& actions : program) {
    std::vector<std::string> row;
    for (const Action& action : actions) {
      row.push_back(
          to_string(PytorchCell{cell_kind(action.kind), action.stage, action.micro_batch, 0}));
    }
    text += base::csv_row(row) + "\n";
  }
  return text;
}

}  // namespace layerpipe::discipline
