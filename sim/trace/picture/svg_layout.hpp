#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/trace/picture/chart.hpp"

namespace layerpipe::trace {

/// Where things are in a picture of charts, in pixels from the top left corner.
class SvgLayout {
 public:
  explicit SvgLayout(std::span<const Chart> charts);

  static constexpr double margin = 20.0;
  static constexpr double title_size = 15.0;  ///< fonts
  static constexpr double name_size = 12.0;
  static constexpr double note_size = 10.0;
  static constexpr double legend_size = 11.5;

  [[nodiscard]] double left() const { return margin + gutter_; }  ///< where time begins
  [[nodiscard]] double plot_width() const { return plot_width_; }
  [[nodiscard]] double width() const { return left() + plot_width_ + margin; }
  [[nodiscard]] double gutter() const { return gutter_; }  ///< for names

  /// The longest time that a chart shows.
  [[nodiscard]] double seconds() const { return seconds_; }

  /// From where time begins, to a hundredth.
  [[nodiscard]] double x(double seconds) const;

  [[nodiscard]] static double line_height(const Chart::Line& line);

  /// Tops of the lines of a chart whose first is at `top`; and last, where it ends.
  [[nodiscard]] static std::vector<double> tops(const Chart& chart, double top);

 private:
  double gutter_ = 0.0;
  double plot_width_ = 0.0;
  double seconds_ = 0.0;
};

}  // namespace layerpipe::trace
