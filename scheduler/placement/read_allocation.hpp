#pragma once

#include <string>
#include <string_view>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/given_allocation.hpp"

namespace layerpipe::placement {

/// Reads what the command `schedule` writes as JSON, edited or not (docs/formats/schedule.md):
/// placement, fractions, `schedule`, `options.split` and, if there are any, `options.delays` and
/// `options.priority`.
/// Cycles are those of `profile`, which may be of another batch, array or machine than the file's.
/// Of an ideal split, lent cycles are the fraction's, rounded down. Throws InputError, with the
/// place in the file, unless each operation of each layer is there once, layers lie in their order
/// on the machine's first processors, none of which computes nothing, and borrowed parts are whole
/// units on processors from behind the layer's own to that of the next layer, where they may be.
[[nodiscard]] GivenAllocation read_allocation(const std::string& path,
                                              const costs::Profile& profile,
                                              const machine::Machine& machine);

/// The same for the `text` of a file. `file` names it in errors.
[[nodiscard]] GivenAllocation parse_allocation(std::string_view text, const std::string& file,
                                               const costs::Profile& profile,
                                               const machine::Machine& machine);

}  // namespace layerpipe::placement
