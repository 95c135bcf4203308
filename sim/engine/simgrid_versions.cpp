#include "sim/engine/simgrid_versions.hpp"

#include <fmt/format.h>

#include <simgrid/s4u.hpp>
// Behind s4u.hpp: before it, the version is 0.
#include <simgrid/version.h>

namespace layerpipe::engine {

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

#if SIMGRID_VERSION >= 40000
std::string timing_precision() { return "precision/timing"; }

std::string sharing_precision() { return "precision/work-amount"; }

simgrid::s4u::ActorPtr add_actor(const std::string& name, simgrid::s4u::Host* host,
                                 const std::function<void()>& code) {
  return simgrid::s4u::Engine::add_actor(name, host, code);
}
#else
std::string timing_precision() { return "surf/precision"; }

std::string sharing_precision() { return "maxmin/precision"; }

simgrid::s4u::ActorPtr add_actor(const std::string& name, simgrid::s4u::Host* host,
                                 const std::function<void()>& code) {
  return simgrid::s4u::Actor::create(name, host, code);
}
#endif

}  // namespace layerpipe::engine
