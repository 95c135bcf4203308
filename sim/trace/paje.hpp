#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "sim/trace/arrows.hpp"
#include "sim/trace/dated_lines.hpp"
#include "sim/trace/trace_time.hpp"
#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// A Paje trace (docs/formats/paje.md): a container per processor, with a state for each operation
/// and stall, one per channel that is used, with a state for each transfer, and one per link that
/// is used, with a variable. Links are arrows from who made what was sent to who uses it. Lines are
/// in order of time: what comes after the beginning of the oldest operation, stall, transfer or
/// arrow under way is kept until that ends.
class PajeTrace final : public TraceWriter {
 public:
  PajeTrace(std::ostream& stream, const TraceSubject& subject);

  void begins(std::int64_t date) override;
  void operation(const OperationSlice& slice) override;
  void transfer(const TransferSlice& slice) override;
  void stall(const metrics::StallInterval& slice) override;
  void link_use(const LinkUse& use) override;
  void memory_use(const MemoryUse& use) override;
  void settled(std::int64_t date) override;
  void finish(const metrics::Result& result, const TraceSpan& span) override;

 private:
  void define_values() const;
  void draw(const Arrow& arrow);
  void create_containers() const;
  void begin_drain_of_idle_processors();

  std::ostream& stream_;
  DatedLines lines_;
  const machine::Machine& machine_;
  const contract::Schedule& schedule_;
  const events::Channels& channels_;
  TraceClock clock_;
  Arrows arrows_;
  std::int64_t arrows_drawn_ = 0;
  std::vector<bool> is_idle_;          ///< [processor]: it has no operations
  std::vector<std::size_t> links_;     ///< that are used, in order
  std::vector<double> busy_fraction_;  ///< [link]: the last one written; negative before that
  std::int64_t last_date_ = 0;
};

}  // namespace layerpipe::trace
