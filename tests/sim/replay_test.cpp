#include "sim/metrics/replay.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace layerpipe::sim {
namespace {

class Recorder final : public EventSink {
 public:
  void record(const Event& event) override {
    const bool starts =
        event.kind == EventKind::operation_started || event.kind == EventKind::transfer_started;
    const bool moves =
        event.kind == EventKind::transfer_started || event.kind == EventKind::transfer_ended;
    lines.push_back(fmt::format("{} {} {} {} of {}", event.date, moves ? "tensor" : "op", event.id,
                                starts ? "starts" : "ends", event.minibatch));
  }

  std::vector<std::string> lines;
};

TEST(Replay, TellsEventsInOrderOfDates) {
  scheduler::Timetable table;
  table.ops = {{{0, 0, 5}, {0, 5, 10}}, {{7, 7, 9}}};
  table.transfers = {{{5, 5, 7}}};
  Recorder recorder;
  replay(table, recorder);
  EXPECT_THAT(recorder.lines, testing::ElementsAre("0 op 0 starts of 0", "5 op 0 ends of 0",
                                                   "5 tensor 0 starts of 0", "5 op 0 starts of 1",
                                                   "7 tensor 0 ends of 0", "7 op 1 starts of 0",
                                                   "9 op 1 ends of 0", "10 op 0 ends of 1"));
}

}  // namespace
}  // namespace layerpipe::sim
