#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "sim/trace/arrows.hpp"
#include "sim/trace/trace_time.hpp"
#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// Chrome's trace-event format (docs/formats/trace-json.md), which Perfetto and chrome://tracing
/// open: a track for each processor with its operations and stalls, one for each channel with its
/// transfers, and arrows from the operation that made what was sent, through its transfer, to each
/// operation that uses it. Arrows keep what has arrived and is not yet used.
class JsonTrace final : public TraceWriter {
 public:
  JsonTrace(std::ostream& stream, const TraceSubject& subject);

  void begins(std::int64_t date) override;
  void operation(const OperationSlice& slice) override;
  void transfer(const TransferSlice& slice) override;
  void stall(const metrics::StallInterval& slice) override;
  void link_use(const LinkUse& use) override;
  void memory_use(const MemoryUse& use) override;
  void finish(const metrics::Result& result, const TraceSpan& span) override;

 private:
  void name_tracks(const TraceSubject& subject);
  void describe_operations(const contract::Schedule& schedule);
  void describe_transfers(const contract::Schedule& schedule);
  void write_arrow(const Arrow& arrow);
  void write_busy(std::size_t link, std::int64_t date, double fraction);

  std::ostream& stream_;
  const machine::Machine& machine_;
  TraceClock clock_;
  const contract::Schedule& schedule_;
  nlohmann::ordered_json other_data_;  ///< of the whole trace
  const events::Channels& channels_;
  std::vector<std::string> operations_;  ///< [op]: members that are always the same
  std::vector<std::string> transfers_;   ///< [tensor]: the same
  Arrows arrows_;
  std::int64_t arrows_written_ = 0;
  std::map<std::size_t, double> busy_fraction_;  ///< [link]: the last one written
  std::int64_t links_until_ = 0;                 ///< end of what was told of links
};

}  // namespace layerpipe::trace
