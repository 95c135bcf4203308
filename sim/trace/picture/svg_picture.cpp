#include "sim/trace/picture/svg_picture.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/picture/svg_arrows.hpp"
#include "sim/trace/picture/svg_bars.hpp"
#include "sim/trace/picture/svg_elements.hpp"
#include "sim/trace/picture/svg_layout.hpp"
#include "sim/trace/picture/time_axis.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::trace {
namespace {

constexpr std::string_view style = R"(<style>
text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; font-size: 11px; fill: #222 }
.title { font-size: 15px; font-weight: bold }
.schedule { font-size: 13px; font-weight: bold }
.parameters { font-size: 12px }
.name { font-size: 12px; text-anchor: end }
.note { font-size: 10px; text-anchor: end; fill: #666 }
.grid { stroke: #e4e4e4; stroke-width: 1 }
.axis { stroke: #666; stroke-width: 1; fill: none }
.time { font-size: 10.5px; text-anchor: middle; fill: #444 }
.bar { stroke: #fff; stroke-width: 0.8 }
.bars text { text-anchor: middle; pointer-events: none }
.bars .kind { font-size: 11px }
.bars .small { font-size: 9.5px }
.bars .idle { font-size: 9.5px; font-style: italic }
.bars .light { fill: #fff }
.plate { pointer-events: none }
.arrows path { stroke: #333; stroke-width: 0.8; stroke-opacity: 0.7; fill: none; marker-end: url(#head); pointer-events: none }
.legend { font-size: 11.5px }
</style>
)";

/// What a picture consists of, from top to bottom; `y_` is how far it has come.
class SvgPicture {
 public:
  explicit SvgPicture(std::span<const Chart> charts) : charts_(charts), layout_(charts) {
    write_title();
    for (const Chart& chart : charts) write_chart(chart);
    write_axis();
    write_legend();
  }

  [[nodiscard]] std::string body() const { return body_.str(); }
  [[nodiscard]] double width() const { return layout_.width(); }
  [[nodiscard]] double height() const { return y_ + SvgLayout::margin; }

 private:
  void write_title();
  void write_chart(const Chart& chart);
  void write_heading(const Chart& chart);
  void write_period(const Chart& chart);
  void write_grid(double top, double bottom);
  void write_lines(const Chart& chart, const std::vector<double>& tops);
  void write_axis();
  void write_legend();
  void write_entries(const std::vector<Paint>& paints);
  void text(double x, std::string_view kind, std::string_view text);

  [[nodiscard]] std::vector<Tick> ticks() const;

  std::span<const Chart> charts_;
  SvgLayout layout_;
  std::ostringstream body_;
  double y_ = SvgLayout::margin;
};

std::string duration(double cycles, double clock_hertz) {
  return base::format_seconds(cycles / clock_hertz);
}

void SvgPicture::text(double x, std::string_view kind, std::string_view text) {
  fmt::print(body_, "<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"{}\">{}</text>\n", x, y_, kind,
             xml_text(text));
}

std::vector<Tick> SvgPicture::ticks() const {
  if (layout_.seconds() <= 0.0) return {};
  constexpr double pixels = 80.0;
  return time_ticks(layout_.seconds(), static_cast<int>(layout_.plot_width() / pixels));
}

/// The whole title is that of the picture.
void SvgPicture::write_title() {
  y_ += 12.0;
  text(SvgLayout::margin, "title",
       cut_to_width(charts_.front().subject, layout_.width() - 2 * SvgLayout::margin,
                    SvgLayout::title_size));
}

void SvgPicture::write_chart(const Chart& chart) {
  y_ += 34.0;
  write_heading(chart);
  y_ += 20.0;
  write_period(chart);
  const std::vector<double> tops = SvgLayout::tops(chart, y_ + 8.0);
  write_grid(tops.front(), tops.back());
  write_lines(chart, tops);
  write_arrows(body_, chart, layout_, tops);
  write_bars(body_, chart, layout_, tops);
  y_ = tops.back();
}

void SvgPicture::write_heading(const Chart& chart) {
  const std::string begin =
      chart.span.begin == 0
          ? ""
          : fmt::format("; shown from {} on",
                        duration(static_cast<double>(chart.span.begin), chart.clock_hertz));
  fmt::print(
      body_,
      "<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"parameters\"><tspan class=\"schedule\">{}"
      "</tspan><tspan dx=\"10\">{}{}</tspan></text>\n",
      SvgLayout::margin, y_,
      xml_text(cut_to_width(chart.schedule, layout_.plot_width() / 2, SvgLayout::title_size)),
      xml_text(chart.parameters), begin);
}

/// A measure above the lines.
void SvgPicture::write_period(const Chart& chart) {
  const double width = layout_.x(chart.period_cycles / chart.clock_hertz);
  if (chart.period_cycles <= 0.0 || width > layout_.plot_width()) return;
  const std::string label =
      fmt::format("period {}", duration(chart.period_cycles, chart.clock_hertz));
  constexpr double label_size = 10.5;
  const double left = layout_.left();
  const double label_width = text_width(label, label_size);
  const bool is_inside = label_width + 20.0 < width;
  fmt::print(body_,
             "<path class=\"axis\" d=\"M{0:.2f} {1:.2f}v8M{0:.2f} {2:.2f}H{3:.2f}M{3:.2f} "
             "{1:.2f}v8\"/>\n",
             left, y_ - 4.0, y_, left + width);
  const double center = is_inside ? left + width / 2 : left + width + 8.0 + label_width / 2;
  if (is_inside) {
    fmt::print(body_,
               "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"12\" fill=\"#fff\"/>\n",
               center - label_width / 2, y_ - 6.0, label_width);
  }
  fmt::print(body_, "<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"time\">{}</text>\n", center, y_ + 4.0,
             label);
}

void SvgPicture::write_grid(double top, double bottom) {
  for (const Tick& tick : ticks()) {
    fmt::print(body_, "<path class=\"grid\" d=\"M{:.2f} {:.2f}V{:.2f}\"/>\n",
               layout_.left() + layout_.x(tick.seconds), top, bottom);
  }
}

/// Names of lines; whole ones to whoever points at them.
void SvgPicture::write_lines(const Chart& chart, const std::vector<double>& tops) {
  const double right = layout_.left() - 8.0;
  const double room = layout_.gutter() - 8.0;
  const auto name = [&](std::string_view kind, double y, const std::string& text, double size) {
    fmt::print(body_, "<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"{}\">{}<title>{}</title></text>\n",
               right, y, kind, xml_text(cut_to_width(text, room, size)), xml_text(text));
  };
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const Chart::Line& line = chart.lines[i];
    if (line.is_channel) {
      name("note", tops[i] + 10.0, line.name, SvgLayout::note_size);
    } else {
      name("name", tops[i] + (line.note.empty() ? 22.0 : 16.0), line.name, SvgLayout::name_size);
      if (!line.note.empty()) name("note", tops[i] + 29.0, line.note, SvgLayout::note_size);
    }
  }
}

void SvgPicture::write_axis() {
  y_ += 4.0;
  const double left = layout_.left();
  fmt::print(body_, "<path class=\"axis\" d=\"M{:.2f} {:.2f}H{:.2f}\"/>\n", left, y_,
             left + layout_.plot_width());
  for (const Tick& tick : ticks()) {
    const double x = left + layout_.x(tick.seconds);
    fmt::print(body_,
               "<path class=\"axis\" d=\"M{0:.2f} {1:.2f}v4\"/><text x=\"{0:.2f}\" y=\"{2:.2f}\" "
               "class=\"time\">{3}</text>\n",
               x, y_, y_ + 16.0, tick.label);
  }
  y_ += 16.0;
}

/// What is painted, in rows: operations, idle time, transfers.
void SvgPicture::write_legend() {
  std::array<bool, paints> is_used{};
  for (const Chart& chart : charts_) {
    for (const Chart::Bar& bar : chart.bars) {
      is_used.at(static_cast<std::size_t>(chart.looks[bar.look].paint)) = true;
    }
  }
  std::array<std::vector<Paint>, 3> rows;
  for (int i = 0; i < paints; ++i) {
    const auto paint = static_cast<Paint>(i);
    if (!is_used.at(static_cast<std::size_t>(i))) continue;
    rows.at(paint < Paint::fill ? 0 : is_stall(paint) ? 1 : 2).push_back(paint);
  }
  y_ += 10.0;
  for (const std::vector<Paint>& row : rows) {
    if (!row.empty()) write_entries(row);
  }
  y_ += 20.0;
  text(layout_.left(), "legend",
       "G2 above 14: weight gradient of layer 2, counted from 1, of minibatch 14.");
  const bool has_arrows =
      std::ranges::any_of(charts_, [](const Chart& chart) { return !chart.arrows.empty(); });
  if (!has_arrows) return;
  y_ += 18.0;
  text(layout_.left(), "legend",
       "Arrows: from who made something, by its transfer, to who uses it.");
}

void SvgPicture::write_entries(const std::vector<Paint>& row) {
  constexpr double swatch = 22.0;
  constexpr double gap = 18.0;
  double x = layout_.left();
  y_ += 20.0;
  for (const Paint paint : row) {
    const double width = swatch + 6.0 + text_width(legend(paint), SvgLayout::legend_size);
    if (x > layout_.left() && x + width > layout_.width() - SvgLayout::margin) {
      x = layout_.left();
      y_ += 20.0;
    }
    fmt::print(body_, "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"12\" fill=\"{}\"/>\n",
               x, y_ - 10.0, swatch, svg_fill(paint));
    text(x + swatch + 6.0, "legend", legend(paint));
    x += width + gap;
  }
}

}  // namespace

void write_svg(std::ostream& stream, std::span<const Chart> charts,
               const std::optional<process::Provenance>& provenance) {
  const SvgPicture picture(charts);
  fmt::print(stream,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>{2}</title>\n",
             picture.width(), picture.height(), xml_text(charts.front().subject));
  if (provenance) {
    stream << "<metadata>" << xml_text(to_line(*provenance)) << "</metadata>\n";
  }
  stream << style;
  write_hatches(stream);
  write_arrow_head(stream);
  fmt::print(stream, "<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#fff\"/>\n", picture.width(),
             picture.height());
  stream << picture.body() << "</svg>\n";
}

}  // namespace layerpipe::trace
