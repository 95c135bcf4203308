#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "platforms/array/systolic_array.hpp"

namespace layerpipe::machine {

/// No machine has more processors than this.
inline constexpr std::size_t max_processors = 65'536;

/// No route crosses more links than this: a flow takes SimGrid the square of them.
inline constexpr std::size_t max_route_links = 4'096;

/// One direction of a connection.
struct Link {
  std::string name;
  double bytes_per_second = 0.0;
  bool shared = true;  ///< false: every flow gets the whole bandwidth (SimGrid's FATPIPE)
  double latency_seconds = 0.0;
};

/// The way from one processor to another.
struct Route {
  std::vector<std::size_t> links;  ///< indices into Machine::links, in order of traversal
  double latency_seconds = 0.0;    ///< sum over the links
};

/// Equal systolic arrays and the network between them.
struct Machine {
  std::string name;
  array::SystolicArray array;
  double clock_hertz = 1e9;
  std::vector<std::string> processors;  ///< natural order of names: p2 before p10
  std::vector<std::string> left_out;    ///< other ones of the platform, which are not used
  std::vector<Link> links;
  /// The route between two different processors, looked up when asked for: a machine may have
  /// millions. Throws InputError where there is none, InfeasibleError where it is too long.
  std::function<Route(std::size_t from, std::size_t to)> route;
};

/// The first `count` processors of `machine` and the same network. Throws InfeasibleError if there
/// are fewer, or if `count` is 0.
[[nodiscard]] Machine first_processors(Machine machine, std::size_t count);

/// Bandwidth of the narrowest link of `route`, in bytes per second.
[[nodiscard]] double bandwidth(const Machine& machine, const Route& route);

/// Natural order of names: runs of digits compare as numbers, so that "p2" < "p10".
[[nodiscard]] bool natural_less(const std::string& left, const std::string& right);

}  // namespace layerpipe::machine
