#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/metrics/result.hpp"

namespace layerpipe::figures {

/// Figures that reports derive from a result.

/// What memory is held for, and where its bytes are kept.
struct MemoryPart {
  std::string_view key;    ///< in JSON and CSV
  std::string_view title;  ///< of a column
  std::int64_t metrics::MemoryBytes::*bytes;
};

inline constexpr std::array memory_parts{
    MemoryPart{"weights", "Weights", &metrics::MemoryBytes::weights},
    MemoryPart{"activations", "Activations", &metrics::MemoryBytes::activations},
    MemoryPart{"gradients", "Gradients", &metrics::MemoryBytes::gradients},
    MemoryPart{"queued", "Queued", &metrics::MemoryBytes::queued},
    MemoryPart{"total", "Total", &metrics::MemoryBytes::total},
};

/// A cause of stalls and where its cycles are kept.
struct StallColumn {
  std::string_view key;    ///< in JSON and CSV, and in running text
  std::string_view title;  ///< of a column
  std::int64_t metrics::StallCycles::*cycles;
};

inline constexpr std::array stall_causes{
    StallColumn{"fill", "Fill", &metrics::StallCycles::fill},
    StallColumn{"activation", "Activation", &metrics::StallCycles::activation},
    StallColumn{"gradient", "Gradient", &metrics::StallCycles::gradient},
    StallColumn{"weights", "Weights", &metrics::StallCycles::weights},
    StallColumn{"weight_version", "Own update", &metrics::StallCycles::weight_version},
    StallColumn{"channel", "Channel", &metrics::StallCycles::channel},
    StallColumn{"sharing", "Sharing", &metrics::StallCycles::sharing},
    StallColumn{"drain", "Drain", &metrics::StallCycles::drain},
};

/// The name, without folders, of the file that placed the layers or orders what they do, if
/// `options`, those in force, name one.
[[nodiscard]] std::optional<std::string> file_name(const nlohmann::ordered_json& options);

/// "layerpipe", or "layerpipe placed by edited.json" where a file placed the layers,
/// "pytorch of plan.csv" where it orders what they do; with ", delays S" and the like where they
/// are not the schedule's own.
[[nodiscard]] std::string schedule_title(const std::string& schedule,
                                         const nlohmann::ordered_json& options);

/// What tells one run from others: the schedule, or its file, its stages if
/// they were given, and its delays where they are not the schedule's own.
[[nodiscard]] std::string run_label(const metrics::Result& result);

/// "Options: split channels, max lent bytes 1.0 MB", a line, of those that schedulers read and that
/// are not at their defaults; empty if all are.
[[nodiscard]] std::string options_line(const nlohmann::ordered_json& options);

/// Of M(l) of all layers, at least one: the number if all are equal, else "2,1,0", or
/// "30,28,...,0" of a long list.
[[nodiscard]] std::string delays_text(const std::vector<std::int64_t>& delays);

/// "32x32 at 1 GHz", from the options in force.
[[nodiscard]] std::string array_and_clock(const metrics::Result& result);

/// "Sent per minibatch: ...", a line.
[[nodiscard]] std::string sent_line(const metrics::Communication& bytes);

/// "200", or "37 of 200 at most" where the run stopped early.
[[nodiscard]] std::string iteration_count(const metrics::Result& result);

/// A processor on which the schedule placed nothing.
[[nodiscard]] bool is_idle(const metrics::ProcessorResult& processor);

/// Stalls of the processors that are used, added up.
[[nodiscard]] metrics::StallCycles stalls_of_used(const metrics::Result& result);

/// Share of the whole run, fill and drain included, in which the processors that are used execute
/// nothing. 0 for a run without cycles.
[[nodiscard]] double stalled_share(const metrics::Result& result);

/// Of all layers.
[[nodiscard]] std::int64_t greatest_staleness(const metrics::Result& result);

/// Share of the steady state's time in which the processors that are used execute nothing.
[[nodiscard]] double stalled_share_of_period(const metrics::Result& result);

/// The total peak of the processor that has the greatest.
[[nodiscard]] std::int64_t peak_bytes_of_fullest(const metrics::Result& result);

/// Mean latency of a minibatch, "12.3 ms"; "-" where it is not known.
[[nodiscard]] std::string format_latency(const metrics::Result& result);

/// Of a row of CSV: the latency of minibatches in cycles, mean, least and most; empty where it is
/// not known.
[[nodiscard]] std::vector<std::string> latency_columns();
[[nodiscard]] std::vector<std::string> latency_fields(const metrics::SteadyState& steady);

/// Period of one processor over the period of `result`.
[[nodiscard]] double speedup_over_one_processor(const metrics::Result& result);

/// The processor, link or channel that is busy for the largest part of the steady state.
struct Busiest {
  std::string name;  ///< "processor p1", "link p0-p1_UP"
  double fraction = 0.0;
};

/// Processors before links among equals, and channels only where they are busier than both by what
/// can be seen in a report: a link says more than the channels over it. A link of which each
/// transfer has all (FATPIPE) is never busy, but a channel over it may be. Precondition: there is a
/// processor.
[[nodiscard]] Busiest busiest(const metrics::Result& result);

/// "32,007,170"; with one decimal where it is not whole.
[[nodiscard]] std::string format_cycles(double cycles);

/// "1,263.7", "12.3", "0.0123", "1.23e-07": three significant digits at least.
[[nodiscard]] std::string format_rate(double per_second);

/// "1 GHz", "1.7 GHz", "286 kHz", "10,000 GHz": at most three significant digits.
[[nodiscard]] std::string format_frequency(double hertz);

/// "0.085 %" of a bound of 0.000843: two digits, rounded up.
[[nodiscard]] std::string format_bound(double ratio);

/// The layers of one processor: "-", "conv1", "conv1..conv3", or several such with commas between
/// where others lie between them.
[[nodiscard]] std::string layer_ranges(const metrics::Result& result,
                                       const metrics::ProcessorResult& processor);

}  // namespace layerpipe::figures
