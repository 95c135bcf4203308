#pragma once

#include <ostream>
#include <string>

#include "sim/trace/picture/chart.hpp"
#include "sim/trace/picture/svg_layout.hpp"

namespace layerpipe::trace {

/// "url(#delta_lent)" for a hatched paint, else its colour: a value of `fill`.
[[nodiscard]] std::string svg_fill(Paint paint);

/// Definitions of the hatched paints.
void write_hatches(std::ostream& stream);

/// Writes the bars of a chart, as far as they lie in its span and take time: labels where they fit,
/// and what a reader sees who points at one. `tops`: of the lines.
void write_bars(std::ostream& stream, const Chart& chart, const SvgLayout& layout,
                const std::vector<double>& tops);

}  // namespace layerpipe::trace
