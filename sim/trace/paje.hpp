#pragma once

#include <cstdint>
#include <ostream>

#include "sim/trace/trace_time.hpp"
#include "sim/trace/trace_writer.hpp"

namespace layerpipe::sim {

/// A Paje trace (docs/formats/paje.md): a container per processor, with a state for each operation
/// and stall, and one per channel that is used, with a state for each transfer. Lines are in order
/// of time for each kind of state of each container.
class PajeTrace final : public TraceWriter {
 public:
  PajeTrace(std::ostream& stream, const TraceSubject& subject);

  void operation(const OperationSlice& slice) override;
  void transfer(const TransferSlice& slice) override;
  void stall(const StallInterval& slice) override;
  void finish(const Result& result, const TraceSpan& span) override;

 private:
  void define_values() const;
  void create_containers(const platforms::Machine& machine) const;

  std::ostream& stream_;
  const scheduler::Schedule& schedule_;
  const Channels& channels_;
  TraceClock clock_;
  std::size_t processors_;
  std::int64_t last_date_ = 0;
};

}  // namespace layerpipe::sim
