#include "sim/trace/picture/svg_bars.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <string_view>

#include "sim/trace/picture/svg_elements.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::trace {
namespace {

using base::format_count;

constexpr double label_size = 11.0;  ///< fonts, as in the style sheet
constexpr double small_size = 9.5;
constexpr double idle_height = 16.0;
constexpr double padding = 3.0;

struct Box {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
};

/// A bar with all that is known of it.
struct BarView {
  const Chart& chart;
  const Chart::Bar& bar;
  const Chart::Look& look;
  Box box;
};

std::string details(const BarView& view) {
  const Chart::Bar& bar = view.bar;
  const std::int64_t cycles = bar.end - bar.start;
  std::string text = view.look.details;
  if (bar.minibatch != Chart::Bar::none) text += fmt::format(", minibatch {}", bar.minibatch);
  return fmt::format("{}\n{} {} ({}), from {} to {}", xml_text(text), format_count(cycles),
                     cycles == 1 ? "cycle" : "cycles",
                     base::format_seconds(static_cast<double>(cycles) / view.chart.clock_hertz),
                     format_count(bar.start), format_count(bar.end));
}

struct Label {
  std::string text;
  double font_size = small_size;
  std::string_view kind = "small";  ///< class of the style sheet
  double baseline = 0.0;            ///< below the top of the box
};

bool fits(const Label& label, const Box& box) {
  return text_width(label.text, label.font_size) + 2 * padding <= box.width;
}

/// On hatches, letters lie on a plate of the bar's colour.
void write_label(std::ostream& stream, const BarView& view, const Label& label) {
  const Color background = color(view.look.paint);
  const double center = view.box.x + view.box.width / 2;
  const double y = view.box.y + label.baseline;
  if (!hatch(view.look.paint).empty()) {
    const double width = text_width(label.text, label.font_size);
    fmt::print(stream,
               "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"2\" "
               "fill=\"{}\" class=\"plate\"/>",
               center - width / 2, y - label.font_size, width, 1.3 * label.font_size,
               svg_color(background));
  }
  fmt::print(stream, "<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"{}{}\">{}</text>", center, y,
             label.kind, is_dark(background) ? " light" : "", xml_text(label.text));
}

void label_if_it_fits(std::ostream& stream, const BarView& view, const Label& label) {
  if (fits(label, view.box)) write_label(stream, view, label);
}

/// Kind and layer above the minibatch, or less where there is less room.
void label_operation(std::ostream& stream, const BarView& view) {
  const Label minibatch{std::to_string(view.bar.minibatch), small_size, "small", 29.0};
  const Chart::Look& look = view.look;
  for (const std::string& text :
       {look.symbol + ' ' + look.subject, look.symbol + look.number, look.symbol}) {
    const Label label{text, label_size, "kind", 16.0};
    if (!fits(label, view.box) || !fits(minibatch, view.box)) continue;
    write_label(stream, view, label);
    write_label(stream, view, minibatch);
    return;
  }
  label_if_it_fits(stream, view, {minibatch.text, small_size, "small", 22.0});
}

void write_labels(std::ostream& stream, const BarView& view) {
  if (is_stall(view.look.paint)) {
    label_if_it_fits(stream, view, {view.look.symbol, small_size, "idle", 11.5});
  } else if (view.chart.lines[view.bar.line].is_channel) {
    label_if_it_fits(stream, view, {std::to_string(view.bar.minibatch), small_size, "small", 10.0});
  } else {
    label_operation(stream, view);
  }
}

Box box_of(const Chart& chart, const Chart::Bar& bar, const SvgLayout& layout, double top) {
  const auto x = [&](std::int64_t date) {
    const std::int64_t shown = std::clamp(date, chart.span.begin, chart.span.end);
    return layout.x(static_cast<double>(shown - chart.span.begin) / chart.clock_hertz);
  };
  const double height = SvgLayout::line_height(chart.lines[bar.line]);
  const double start = x(bar.start);
  Box box{layout.left() + start, top, x(bar.end) - start, height};
  if (is_stall(chart.looks[bar.look].paint)) {
    box.y += (height - idle_height) / 2;
    box.height = idle_height;
  }
  return box;
}

/// A white edge, or one of its own colour that makes it visible where it is very narrow.
std::string edge(const BarView& view) {
  if (view.box.width >= 3.0) return "class=\"bar\"";
  if (view.box.width >= 1.0) return "";
  return fmt::format("stroke=\"{}\" stroke-width=\"0.7\"", svg_color(color(view.look.paint)));
}

void write_bar(std::ostream& stream, const BarView& view) {
  fmt::print(stream,
             "<g><title>{}</title><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{}\" "
             "fill=\"{}\" {}/>",
             details(view), view.box.x, view.box.y, view.box.width, view.box.height,
             svg_fill(view.look.paint), edge(view));
  write_labels(stream, view);
  stream << "</g>\n";
}

std::string hatch_name(Paint paint) { return fmt::format("hatch{}", static_cast<int>(paint)); }

}  // namespace

std::string svg_fill(Paint paint) {
  return hatch(paint).empty() ? svg_color(color(paint))
                              : fmt::format("url(#{})", hatch_name(paint));
}

void write_hatches(std::ostream& stream) {
  stream << "<defs>\n";
  for (int i = 0; i < paints; ++i) {
    const auto paint = static_cast<Paint>(i);
    if (hatch(paint).empty()) continue;
    fmt::print(stream,
               "<pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
               "<rect width=\"6\" height=\"6\" fill=\"{}\"/>"
               "<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\" fill=\"none\"/></pattern>\n",
               hatch_name(paint), svg_color(color(paint)), hatch(paint),
               is_stall(paint) ? "#a6a6a6" : "#ffffff", is_stall(paint) ? 0.8 : 1.4);
  }
  stream << "</defs>\n";
}

void write_bars(std::ostream& stream, const Chart& chart, const SvgLayout& layout,
                const std::vector<double>& tops) {
  stream << "<g class=\"bars\">\n";
  for (const Chart::Bar& bar : chart.bars) {
    const bool is_shown = std::max(bar.start, chart.span.begin) < std::min(bar.end, chart.span.end);
    if (!is_shown) continue;
    write_bar(stream,
              {chart, bar, chart.looks[bar.look], box_of(chart, bar, layout, tops[bar.line])});
  }
  stream << "</g>\n";
}

}  // namespace layerpipe::trace
