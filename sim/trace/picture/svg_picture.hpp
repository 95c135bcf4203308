#pragma once

#include <optional>
#include <ostream>
#include <span>

#include "sim/process/provenance.hpp"
#include "sim/trace/picture/chart.hpp"

namespace layerpipe::trace {

/// Writes charts as one picture in SVG (docs/formats/trace-svg.md), one above the other: all begin
/// at the same place and have the same scale of time. Precondition: there is a chart. What it is
/// from stands in its metadata.
void write_svg(std::ostream& stream, std::span<const Chart> charts,
               const std::optional<process::Provenance>& provenance = std::nullopt);

}  // namespace layerpipe::trace
