#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <functional>
#include <string>

namespace simgrid::s4u {
class Actor;
class Host;
}  // namespace simgrid::s4u

/// What differs between the versions of SimGrid that we build with, 3.32 to 4.0, and nothing else.
namespace layerpipe::engine {

/// Of the library in use, e.g. "3.32.0".
[[nodiscard]] std::string simgrid_version();

/// The name of the setting for how close two dates are one, in simulated seconds.
[[nodiscard]] std::string timing_precision();

/// The name of the setting for how close two sums of weights are one where flows share links.
[[nodiscard]] std::string sharing_precision();

/// Starts an actor on `host`, which runs `code`.
boost::intrusive_ptr<simgrid::s4u::Actor> add_actor(const std::string& name,
                                                    simgrid::s4u::Host* host,
                                                    const std::function<void()>& code);

}  // namespace layerpipe::engine
