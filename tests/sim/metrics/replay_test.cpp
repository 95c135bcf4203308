#include "sim/metrics/replay.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace layerpipe::metrics {
namespace {

using namespace events;

class Recorder final : public EventSink {
 public:
  void record(const Event& event) override {
    lines.push_back(
        fmt::format("{} {} {} of {}", event.date, name(event.kind), event.id, event.minibatch));
  }

  void date_over(std::int64_t next, const FlowsLeft& flows) override {
    lines.push_back(fmt::format("until {}, {} flows", next, flows().size()));
  }

  std::vector<std::string> lines;

 private:
  static const char* name(EventKind kind) {
    switch (kind) {
      case EventKind::operation_started:
        return "starts op";
      case EventKind::operation_ended:
        return "ends op";
      case EventKind::transfer_queued:
        return "queues tensor";
      case EventKind::transfer_started:
        return "starts tensor";
      case EventKind::transfer_ended:
        return "ends tensor";
      case EventKind::sum_completed:
        break;
    }
    return "completes sum";
  }
};

TEST(Replay, TellsEventsInOrderOfDates) {
  theory::Timetable table;
  table.ops = {{{0, 0, 5}, {0, 5, 10}}, {{7, 7, 9}}};
  table.transfers = {{{5, 5, 7}}};
  Recorder recorder;
  replay(table, recorder);
  EXPECT_THAT(recorder.lines,
              testing::ElementsAre("0 starts op 0 of 0",                                //
                                   "until 5, 0 flows", "5 ends op 0 of 0",              //
                                   "5 queues tensor 0 of 0", "5 starts tensor 0 of 0",  //
                                   "5 starts op 0 of 1",                                //
                                   "until 7, 0 flows", "7 ends tensor 0 of 0",          //
                                   "7 starts op 1 of 0",                                //
                                   "until 9, 0 flows", "9 ends op 1 of 0",              //
                                   "until 10, 0 flows", "10 ends op 0 of 1"));
}

}  // namespace
}  // namespace layerpipe::metrics
