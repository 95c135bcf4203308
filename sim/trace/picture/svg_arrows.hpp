#pragma once

#include <ostream>
#include <vector>

#include "sim/trace/picture/chart.hpp"
#include "sim/trace/picture/svg_layout.hpp"

namespace layerpipe::trace {

/// Defines what arrows end with.
void write_arrow_head(std::ostream& stream);

/// Writes the arrows of a chart that lie in its span: from the bar of who made something down to
/// the beginning of its transfer, and up to the beginning of who uses it. `tops`: of the lines.
void write_arrows(std::ostream& stream, const Chart& chart, const SvgLayout& layout,
                  const std::vector<double>& tops);

}  // namespace layerpipe::trace
