#pragma once

#include <optional>
#include <string_view>

#include "platforms/machine/machine.hpp"

namespace layerpipe::machine {

/// How the processors of a generated platform are connected.
enum class Topology {
  crossbar,  ///< each processor has a link to a switch without limits: a route crosses two links
  chain,     ///< each processor has a link to the one before and the one behind it
};

/// "crossbar" or "chain".
[[nodiscard]] std::string_view to_string(Topology topology);

/// The topology of `machine`, as far as the number of its links tells it, in all and on the route
/// between any two processors; none if it is another one, or if there is one processor. Looks up
/// all routes: their number is the square of the processors'.
[[nodiscard]] std::optional<Topology> find_topology(const Machine& machine);

}  // namespace layerpipe::machine
