#include "sim/trace/picture/svg_layout.hpp"

#include <algorithm>
#include <cmath>

#include "sim/trace/picture/svg_elements.hpp"

namespace layerpipe::trace {
namespace {

double gutter(std::span<const Chart> charts) {
  double width = 0.0;
  for (const Chart& chart : charts) {
    for (const Chart::Line& line : chart.lines) {
      const double size = line.is_channel ? SvgLayout::note_size : SvgLayout::name_size;
      width = std::max(
          {width, text_width(line.name, size), text_width(line.note, SvgLayout::note_size)});
    }
  }
  constexpr double space = 10.0;
  return std::clamp(width + space, 60.0, 200.0);
}

/// Bars of the processor that has most.
std::size_t most_bars(std::span<const Chart> charts) {
  std::size_t most = 0;
  for (const Chart& chart : charts) {
    std::vector<std::size_t> bars(chart.lines.size(), 0);
    for (const Chart::Bar& bar : chart.bars) {
      if (!chart.lines[bar.line].is_channel) most = std::max(most, ++bars[bar.line]);
    }
  }
  return most;
}

}  // namespace

SvgLayout::SvgLayout(std::span<const Chart> charts) : gutter_(trace::gutter(charts)) {
  constexpr double bar_width = 16.0;
  plot_width_ = std::clamp(bar_width * static_cast<double>(most_bars(charts)), 860.0, 16'000.0);
  for (const Chart& chart : charts) {
    const auto cycles = static_cast<double>(chart.span.end - chart.span.begin);
    seconds_ = std::max(seconds_, cycles / chart.clock_hertz);
  }
}

double SvgLayout::x(double seconds) const {
  return seconds_ > 0.0 ? std::round(100.0 * plot_width_ * seconds / seconds_) / 100.0 : 0.0;
}

double SvgLayout::line_height(const Chart::Line& line) { return line.is_channel ? 13.0 : 36.0; }

std::vector<double> SvgLayout::tops(const Chart& chart, double top) {
  constexpr double gap = 4.0;
  std::vector<double> result;
  bool is_above_channels = true;
  for (const Chart::Line& line : chart.lines) {
    if (line.is_channel && is_above_channels) top += gap;
    is_above_channels = !line.is_channel;
    result.push_back(top);
    top += line_height(line) + gap;
  }
  result.push_back(top);
  return result;
}

}  // namespace layerpipe::trace
