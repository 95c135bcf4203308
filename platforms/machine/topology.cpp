#include "platforms/machine/topology.hpp"

#include <cstddef>

#include "workloads/base/error.hpp"

namespace layerpipe::machine {
namespace {

/// Whether every route from one processor to another crosses `length(from, to)` links.
template <typename Length>
bool have_lengths(const Machine& machine, Length length) {
  const std::size_t count = machine.processors.size();
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      if (from != to && machine.route(from, to).links.size() != length(from, to)) return false;
    }
  }
  return true;
}

}  // namespace

std::string_view to_string(Topology topology) {
  switch (topology) {
    case Topology::crossbar:
      return "crossbar";
    case Topology::chain:
      return "chain";
  }
  throw InternalError("unknown topology");
}

std::optional<Topology> find_topology(const Machine& machine) {
  const std::size_t count = machine.processors.size();
  if (count < 2) return std::nullopt;
  const auto through_switch = [](std::size_t, std::size_t) { return std::size_t{2}; };
  const auto along_chain = [](std::size_t from, std::size_t to) {
    return from < to ? to - from : from - to;
  };
  // A split-duplex link counts as two.
  const std::size_t links = machine.links.size();
  if (links == 2 * count && have_lengths(machine, through_switch)) return Topology::crossbar;
  if (links == 2 * (count - 1) && have_lengths(machine, along_chain)) return Topology::chain;
  return std::nullopt;
}

}  // namespace layerpipe::machine
