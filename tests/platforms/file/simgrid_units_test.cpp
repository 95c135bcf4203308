#include "platforms/file/simgrid_units.hpp"

#include <gtest/gtest.h>

namespace layerpipe::file {
namespace {

// SimGrid 3.32's documentation of platform files; a decimal prefix is a power of 1000, one with "i"
// of 1024.
TEST(SimgridUnits, AreThoseOfSimGrid) {
  EXPECT_EQ(simgrid_unit(Dimension::speed, "f"), 1.0);
  EXPECT_EQ(simgrid_unit(Dimension::speed, "Gf"), 1e9);
  EXPECT_EQ(simgrid_unit(Dimension::speed, "megaflops"), 1e6);
  EXPECT_EQ(simgrid_unit(Dimension::bandwidth, "Bps"), 1.0);
  EXPECT_EQ(simgrid_unit(Dimension::bandwidth, "kBps"), 1e3);
  EXPECT_EQ(simgrid_unit(Dimension::bandwidth, "MiBps"), 1048576.0);
  EXPECT_EQ(simgrid_unit(Dimension::bandwidth, "Gbps"), 0.125e9);
  EXPECT_EQ(simgrid_unit(Dimension::time, "us"), 1e-6);
  EXPECT_EQ(simgrid_unit(Dimension::time, "m"), 60.0);
  EXPECT_EQ(simgrid_unit(Dimension::time, "w"), 7.0 * 24.0 * 3600.0);
}

TEST(SimgridUnits, HaveACaseAndADimension) {
  for (const char* unit : {"", "gf", "GF", "Kf", "kflops", "GHz", "Bps", "s", " Gf", "Gf "}) {
    EXPECT_FALSE(simgrid_unit(Dimension::speed, unit)) << unit;
  }
  for (const char* unit : {"", "KBps", "GBPS", "GB/s", "f", "iBps"}) {
    EXPECT_FALSE(simgrid_unit(Dimension::bandwidth, unit)) << unit;
  }
  for (const char* unit : {"", "US", "min", "y", "fs", "Bps"}) {
    EXPECT_FALSE(simgrid_unit(Dimension::time, unit)) << unit;
  }
}

}  // namespace
}  // namespace layerpipe::file
