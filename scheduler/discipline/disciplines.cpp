#include "scheduler/discipline/disciplines.hpp"

#include <array>

#include "scheduler/discipline/gpipe.hpp"
#include "scheduler/discipline/interleaved.hpp"
#include "scheduler/discipline/looped_bfs.hpp"
#include "scheduler/discipline/one_f_one_b.hpp"
#include "scheduler/discipline/pipedream_2bw.hpp"
#include "scheduler/discipline/zero_bubble.hpp"

namespace layerpipe::discipline {

std::span<const Discipline> disciplines() {
  static constexpr std::array all{
      Discipline{"gpipe", "all forward passes, then all backward passes, flush", gpipe},
      Discipline{"1f1b", "forward and backward passes in turn, flush", one_f_one_b},
      Discipline{"eager-1f1b", "1f1b with more forward passes first", eager_one_f_one_b},
      Discipline{.name = "interleaved-1f1b",
                 .summary = "1f1b with several stages on each processor",
                 .program = interleaved_one_f_one_b,
                 .has_chunks = true},
      Discipline{.name = "looped-bfs",
                 .summary = "gpipe with several stages on each processor, one after the other",
                 .program = looped_bfs,
                 .has_chunks = true},
      Discipline{.name = "zb-h1",
                 .summary = "1f1b with late weight gradients in the bubble",
                 .program = zb_h1,
                 .splits_backward = true},
      Discipline{.name = "zb-h2",
                 .summary = "zb-h1 with more in flight, no bubble within a stage",
                 .program = zb_h2,
                 .splits_backward = true},
      Discipline{.name = "pipedream-2bw",
                 .summary = "1f1b without flush, two versions of the weights",
                 .program = pipedream_2bw,
                 .staleness = 1},
  };
  return all;
}

}  // namespace layerpipe::discipline
