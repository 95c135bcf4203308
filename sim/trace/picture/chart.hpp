#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/arrows.hpp"
#include "sim/trace/picture/paint.hpp"
#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// What a picture shows of one run, with all that is written in it. Dates are in cycles since the
/// start of the run.
struct Chart {
  /// A processor or a channel.
  struct Line {
    std::string name;
    std::string note;  ///< layers of a processor
    bool is_channel = false;
  };
  /// What is the same of all bars of an operation, a cause of stalls or a tensor.
  struct Look {
    Paint paint = Paint::forward;
    std::string symbol;   ///< "FP"; may stand in a bar that is wide enough
    std::string subject;  ///< "conv1"; may stand behind the symbol
    std::string number;   ///< "1", or "3-4": of the layers, counted from 1; takes less room
    std::string details;  ///< a line for whoever points at a bar
  };
  struct Bar {
    static constexpr std::int64_t none = -1;

    std::size_t line = 0;
    std::size_t look = 0;
    std::int64_t minibatch = none;  ///< none of a stall
    std::int64_t start = 0;
    std::int64_t end = 0;
  };

  /// From who made what is sent, by its transfer, to who uses it.
  struct Arrow {
    std::size_t from_line = 0;
    std::int64_t from_date = 0;
    std::size_t channel_line = 0;
    std::int64_t transfer_date = 0;
    std::size_t to_line = 0;
    std::int64_t to_date = 0;
  };

  std::string subject;     ///< network and machine
  std::string schedule;    ///< its title
  std::string parameters;  ///< of the run
  double clock_hertz = 1e9;
  double period_cycles = 0.0;
  TraceSpan span;
  std::vector<Line> lines;  ///< processors that execute something, then channels
  std::vector<Look> looks;
  std::vector<Bar> bars;  ///< those of a line in order of time
  std::vector<Arrow> arrows;
};

/// More operations than this are not drawn.
inline constexpr std::int64_t most_operations_in_chart = 2000;

/// Throws InfeasibleError if so many minibatches have too many operations. Precondition: the
/// schedule has one.
void require_room_in_chart(const contract::Schedule& schedule, std::int64_t minibatches);

/// Makes the chart of a run.
class ChartRecorder final : public TraceWriter {
 public:
  explicit ChartRecorder(const TraceSubject& subject);

  void operation(const OperationSlice& slice) override;
  void transfer(const TransferSlice& slice) override;
  void stall(const metrics::StallInterval& slice) override;

  /// Throws InfeasibleError if there were too many operations; no more than a picture has room for
  /// are kept meanwhile.
  void finish(const metrics::Result& result, const TraceSpan& span) override;

  /// Precondition: it is finished.
  [[nodiscard]] const Chart& chart() const { return chart_; }

 private:
  void add_lines(const TraceSubject& subject);
  void add_looks(const contract::Schedule& schedule);
  void add_bar(const Chart::Bar& bar);
  void add_arrow(const Arrow& arrow);

  const contract::Schedule& schedule_;
  const events::Channels& channels_;
  Arrows arrows_;
  Chart chart_;
  std::vector<std::size_t> line_of_processor_;
  std::size_t first_channel_ = 0;  ///< line
  std::size_t first_cause_ = 0;    ///< look
  std::size_t first_tensor_ = 0;   ///< look
  std::int64_t operations_ = 0;
};

/// To hand a chart from the process of a run to its parent.
[[nodiscard]] nlohmann::json to_json(const Chart& chart);
[[nodiscard]] Chart chart_from_json(const nlohmann::json& json);

}  // namespace layerpipe::trace
