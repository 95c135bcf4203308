#include "tests/support/traced_seeds.hpp"

#include <fmt/format.h>

#include "sim/engine/load_machine.hpp"
#include "sim/process/isolated_process.hpp"
#include "tests/support/mesh_platform.hpp"

namespace layerpipe::tests {

std::string wrong_of_any(std::uint64_t seeds, const SeedCheck& check) {
  const std::string path = write_mesh_platform(6, false);
  return process::run_isolated([&] {
    const machine::Machine machine = engine::load_machine(path);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const std::string wrong = check(machine, seed);
      if (!wrong.empty()) return fmt::format("seed {}: {}", seed, wrong);
    }
    return std::string();
  });
}

}  // namespace layerpipe::tests
