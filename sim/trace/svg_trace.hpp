#pragma once

#include <optional>
#include <ostream>

#include "sim/trace/picture/chart.hpp"
#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// A picture of the run (docs/formats/trace-svg.md), written at its end: keeps what it shows, and
/// no more than most_operations_in_chart.
class SvgTrace final : public TraceWriter {
 public:
  SvgTrace(std::ostream& stream, const TraceSubject& subject);

  void operation(const OperationSlice& slice) override { recorder_.operation(slice); }
  void transfer(const TransferSlice& slice) override { recorder_.transfer(slice); }
  void stall(const metrics::StallInterval& slice) override { recorder_.stall(slice); }

  /// Throws InfeasibleError if there were too many operations.
  void finish(const metrics::Result& result, const TraceSpan& span) override;

 private:
  std::ostream& stream_;
  std::optional<process::Provenance> provenance_;
  ChartRecorder recorder_;
};

}  // namespace layerpipe::trace
