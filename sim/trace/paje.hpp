#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "platforms/machine.hpp"
#include "scheduler/schedule.hpp"
#include "sim/channel.hpp"
#include "sim/events.hpp"

namespace layerpipe::sim {

/// Writes a run as a Paje trace (docs/formats/paje.md) while it happens: a container per processor,
/// with a state for each operation, and one per channel that is used, with a state for each
/// transfer. What is idle has no state. Nothing is kept of the events. A failure of `stream` stays
/// in its state, for the caller to look at.
class PajeTrace : public EventSink {
 public:
  /// Writes all definitions. The arguments must outlive the trace.
  PajeTrace(std::ostream& stream, const platforms::Machine& machine,
            const scheduler::Schedule& schedule, const Channels& channels);

  void record(const Event& event) override;

  /// Ends the trace at the date of the last event. Nothing may be recorded afterwards.
  void finish();

 private:
  void define_values() const;
  void create_containers(const platforms::Machine& machine) const;

  std::ostream& stream_;
  const scheduler::Schedule& schedule_;
  const Channels& channels_;
  double clock_hertz_;
  std::size_t processors_;
  std::int64_t last_date_ = 0;
};

/// `cycles` of a clock of `clock_hertz` in seconds with 12 decimals, correctly rounded: exact if a
/// cycle is a whole number of picoseconds.
[[nodiscard]] std::string decimal_seconds(std::int64_t cycles, double clock_hertz);

}  // namespace layerpipe::sim
