#include "tests/support/mesh_platform.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace layerpipe::tests {

std::string write_mesh_platform(int processors, bool through_hub) {
  std::string links;
  std::string routes;
  if (through_hub) links += "<link id=\"hub\" bandwidth=\"1e18Bps\" latency=\"0s\"/>\n";
  for (int from = 0; from < processors; ++from) {
    for (int to = 0; to < processors; ++to) {
      if (from == to) continue;
      links += fmt::format("<link id=\"l{}-{}\" bandwidth=\"8GBps\" latency=\"{}ns\"/>\n", from, to,
                           (3 * from + to) % 7 + (through_hub ? 1 : 0));
      routes += fmt::format(
          "<route src=\"p{0}\" dst=\"p{1}\" symmetrical=\"NO\"><link_ctn id=\"l{0}-{1}\"/>{2}"
          "</route>\n",
          from, to, through_hub ? "<link_ctn id=\"hub\"/>" : "");
    }
  }
  std::string hosts;
  for (int p = 0; p < processors; ++p) {
    hosts += fmt::format(
        "<host id=\"p{}\" speed=\"1Gf\"><prop id=\"rows\" value=\"32\"/>"
        "<prop id=\"cols\" value=\"32\"/></host>\n",
        p);
  }
  const std::string path =
      fmt::format("{}mesh-{}-{}-{}.xml", testing::TempDir(), processors, through_hub, getpid());
  std::ofstream(path) << "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM "
                         "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
                         "<zone id=\"mesh\" routing=\"Full\">\n"
                      << hosts << links << routes << "</zone>\n</platform>\n";
  return path;
}

}  // namespace layerpipe::tests
