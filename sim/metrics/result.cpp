#include "sim/metrics/result.hpp"

namespace layerpipe::sim {

std::int64_t total(const StallCycles& stalls) {
  return stalls.fill + stalls.activation + stalls.gradient + stalls.weights +
         stalls.weight_version + stalls.channel + stalls.drain;
}

}  // namespace layerpipe::sim
