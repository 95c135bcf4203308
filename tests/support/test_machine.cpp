#include "tests/support/test_machine.hpp"

#include <fmt/format.h>

namespace layerpipe::tests {

machine::Machine test_machine(std::size_t processors, double bytes_per_cycle,
                              double latency_cycles) {
  machine::Machine machine;
  machine.name = "test machine";
  machine.array = {32, 32};
  machine.clock_hertz = 1e9;
  for (std::size_t p = 0; p < processors; ++p) {
    machine.processors.push_back(fmt::format("p{}", p));
  }
  for (std::size_t from = 0; from < processors; ++from) {
    for (std::size_t to = 0; to < processors; ++to) {
      machine.links.push_back({machine.processors[from] + "-" + machine.processors[to],
                               bytes_per_cycle * 1e9, true, latency_cycles * 1e-9});
    }
  }
  machine.route = [processors, latency_cycles](std::size_t from, std::size_t to) {
    return machine::Route{{from * processors + to}, latency_cycles * 1e-9};
  };
  return machine;
}

}  // namespace layerpipe::tests
