#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <string>

#include "platforms/file/generate.hpp"
#include "platforms/machine/transfer.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/process/isolated_process.hpp"
#include "tests/support/simulated_runs.hpp"
#include "tests/support/with_links.hpp"

namespace layerpipe {
namespace {

using contract::InputKind;
using contract::Schedule;
using contract::StaticOrder;
using contract::TensorClass;
using costs::OpKind;

class LastDate final : public events::EventSink {
 public:
  void record(const events::Event& event) override { date = event.date; }
  std::int64_t date = 0;
};

/// p0 executes one cycle and then sends `bytes` each to p1 and p2, which execute one cycle each.
Schedule two_equal_flows(std::int64_t bytes) {
  Schedule schedule;
  schedule.name = "two flows";
  schedule.layer_names = {"a", "b", "c"};
  for (const std::size_t p : {0U, 1U, 2U}) {
    schedule.ops.push_back({{{OpKind::forward, p, 1.0, 1}}, p});
    schedule.orders.push_back(StaticOrder{{{p, 0}}});
  }
  for (const std::size_t p : {1U, 2U}) {
    schedule.tensors.push_back({{0}, 0, p, bytes, TensorClass::mandatory, 0});
    schedule.edges.push_back({0, p, 0, InputKind::activation, p - 1});
  }
  schedule.updates = {1, 2};
  schedule.stages = 3;
  return schedule;
}

/// What is wrong with two flows that take 10^6 cycles each alone, less the latency.
std::string fault(const machine::Machine& loaded, double latency, double bandwidth, double clock) {
  std::vector<machine::Link> links = loaded.links;
  for (machine::Link& link : links) {
    link.latency_seconds = latency / 2;  // a route has two
    link.bytes_per_second = bandwidth;
  }
  const machine::Machine machine = tests::with_links(loaded, clock, links);
  const auto bytes = static_cast<std::int64_t>(std::round(1e6 * bandwidth / clock));
  const std::string date = process::run_isolated([&] {
    LastDate last;
    engine::simulate(machine, two_equal_flows(bytes), 1, last);
    return std::to_string(last.date);
  });
  const double shared = 2.0 * static_cast<double>(bytes) * clock / bandwidth;
  const double expected =
      1.0 + std::ceil(latency_cycles(machine, machine.route(0, 1)) + shared - 1e-6) + 1.0;
  if (std::stod(date) == expected) return "";
  return fmt::format("{} s, {} B/s, {} Hz: {} instead of {}\n", latency, bandwidth, clock, date,
                     expected);
}

/// Two equal flows on a link take twice as long as one, to the cycle in 2 million, whatever the
/// scale. A weight is 1 / latency: 10^-10 to 10^3 in cycles.
TEST(FlowScales, TwoEqualFlowsTakeTwiceAsLong) {
  const std::string path = fmt::format("{}scales-{}.xml", testing::TempDir(), ::getpid());
  std::ofstream(path) << platform_xml(tests::latency_free(3, machine::Topology::crossbar));
  EXPECT_EQ(process::run_isolated([&] {
              const machine::Machine machine = engine::load_machine(path);
              std::string faults;
              for (const double latency : {0.0, 1e-9, 1e-7, 4e-6, 49e-6, 50e-6, 1e-3, 1.0}) {
                for (const double bandwidth : {1e6, 1e9, 1e12, 1e15}) {
                  for (const double clock : {1e6, 1e9, 1e10}) {
                    faults += fault(machine, latency, bandwidth, clock);
                  }
                }
              }
              return faults;
            }),
            "");
}

}  // namespace
}  // namespace layerpipe
