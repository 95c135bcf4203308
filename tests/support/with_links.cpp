#include "tests/support/with_links.hpp"

#include <utility>

namespace layerpipe::tests {

machine::Machine with_links(machine::Machine machine, double clock_hertz,
                            const std::vector<machine::Link>& links) {
  machine.clock_hertz = clock_hertz;
  machine.links = links;
  machine.route = [route = std::move(machine.route), links](std::size_t from, std::size_t to) {
    machine::Route changed = route(from, to);
    changed.latency_seconds = 0.0;
    for (const std::size_t link : changed.links) {
      changed.latency_seconds += links[link].latency_seconds;
    }
    return changed;
  };
  return machine;
}

}  // namespace layerpipe::tests
