#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/read_allocation.hpp"

/// An allocation file without fault, and what becomes of it when something in it is changed.
namespace layerpipe::tests {

/// layer1 to layer4 with input gradients of 101 cycles, but for the first one.
[[nodiscard]] costs::Profile four_layers();

/// In line `line`, counted from 1, `from` becomes `to`.
struct Edit {
  std::size_t line = 1;
  std::string from;
  std::string to;
};

/// Layers 1 and 2 on p0, 3 on p1, 4 on p2; a quarter of delta(2) is lent to p1. Changed as said.
[[nodiscard]] std::string edited(const std::vector<Edit>& edits);

/// The text of one operation.
[[nodiscard]] std::string entry(const std::string& operation, const std::string& layer,
                                const std::string& fraction = "1");

[[nodiscard]] Edit without(std::size_t line);

/// Puts `added` before the entry in the line.
[[nodiscard]] Edit before(std::size_t line, const std::string& added);

/// Of the file "f", for so many processors.
[[nodiscard]] placement::GivenAllocation parse(const std::string& text,
                                               const costs::Profile& profile = four_layers(),
                                               std::size_t processors = 4);

/// Where `at` first stands in line `line` of the edited text, both counted from 1.
struct Place {
  std::size_t line = 1;
  std::string at;
};

/// Expects that the edited text is refused with an InputError of this position and message.
void expect_refused(const std::vector<Edit>& edits, const Place& place, const std::string& message,
                    const costs::Profile& profile = four_layers(), std::size_t processors = 4);

}  // namespace layerpipe::tests
