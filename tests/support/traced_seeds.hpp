#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "platforms/machine/machine.hpp"

namespace layerpipe::tests {

/// Says what is wrong with the run of a seed, in one line or several; nothing if all is right.
/// Called in a process that has loaded the machine, it simulates in processes of its own.
using SeedCheck = std::function<std::string(const machine::Machine&, std::uint64_t seed)>;

/// What `check` finds wrong with the first of the seeds below `seeds` that has something, on a mesh
/// of 6 processors with links of their own (write_mesh_platform).
[[nodiscard]] std::string wrong_of_any(std::uint64_t seeds, const SeedCheck& check);

}  // namespace layerpipe::tests
