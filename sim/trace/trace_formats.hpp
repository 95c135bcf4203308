#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// Throws InputError, without a position, unless `path` ends in the suffix of a format of traces.
void require_trace_suffix(std::string_view path);

/// True for a format that shows all of a run at once, SVG. Throws as require_trace_suffix does.
[[nodiscard]] bool is_picture(std::string_view path);

/// True for a format in which no provenance can be written, CSV: a Sidecar has it. Throws as
/// require_trace_suffix does.
[[nodiscard]] bool needs_sidecar(std::string_view path);

/// Throws InfeasibleError if the format that the suffix of `path` stands for has no room for so
/// many minibatches.
void require_room(std::string_view path, const contract::Schedule& schedule,
                  std::int64_t minibatches);

/// The writer of the format that the suffix of `path` stands for; it writes to `stream`, which must
/// outlive it, and begins at once.
[[nodiscard]] std::unique_ptr<TraceWriter> make_trace_writer(std::string_view path,
                                                             std::ostream& stream,
                                                             const TraceSubject& subject);

}  // namespace layerpipe::trace
