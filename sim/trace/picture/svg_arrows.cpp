#include "sim/trace/picture/svg_arrows.hpp"

#include <fmt/ostream.h>

namespace layerpipe::trace {
namespace {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// At the lower edge of a processor's bars, and in the middle of a channel's.
Point point(const Chart& chart, const SvgLayout& layout, const std::vector<double>& tops,
            std::size_t line, std::int64_t date) {
  const double height = SvgLayout::line_height(chart.lines[line]);
  const double seconds = static_cast<double>(date - chart.span.begin) / chart.clock_hertz;
  return {layout.left() + layout.x(seconds),
          tops[line] + (chart.lines[line].is_channel ? height / 2 : height)};
}

}  // namespace

void write_arrow_head(std::ostream& stream) {
  stream << "<defs><marker id=\"head\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" "
            "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
            "<path d=\"M0 0.5L6 3L0 5.5z\" fill=\"#333\"/></marker></defs>\n";
}

void write_arrows(std::ostream& stream, const Chart& chart, const SvgLayout& layout,
                  const std::vector<double>& tops) {
  stream << "<g class=\"arrows\">\n";
  for (const Chart::Arrow& arrow : chart.arrows) {
    if (arrow.from_date < chart.span.begin || arrow.to_date > chart.span.end) continue;
    const Point from = point(chart, layout, tops, arrow.from_line, arrow.from_date);
    const Point by = point(chart, layout, tops, arrow.channel_line, arrow.transfer_date);
    const Point to = point(chart, layout, tops, arrow.to_line, arrow.to_date);
    fmt::print(stream, "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}L{:.2f} {:.2f}\"/>\n", from.x, from.y,
               by.x, by.y, to.x, to.y);
  }
  stream << "</g>\n";
}

}  // namespace layerpipe::trace
