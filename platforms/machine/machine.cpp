#include "platforms/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "workloads/base/error.hpp"

namespace layerpipe::machine {

Machine first_processors(Machine machine, std::size_t count) {
  if (count == 0 || count > machine.processors.size()) {
    throw InfeasibleError(fmt::format("{} processors asked for, but platform {} has {}", count,
                                      machine.name, machine.processors.size()));
  }
  const auto end = machine.processors.begin() + static_cast<std::ptrdiff_t>(count);
  machine.left_out.insert(machine.left_out.begin(), end, machine.processors.end());
  machine.processors.erase(end, machine.processors.end());
  return machine;
}

double bandwidth(const Machine& machine, const Route& route) {
  double narrowest = std::numeric_limits<double>::infinity();
  for (const std::size_t link : route.links) {
    narrowest = std::min(narrowest, machine.links[link].bytes_per_second);
  }
  return narrowest;
}

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The run of digits at `position`, without leading zeros; moves `position` behind it.
std::string digits(const std::string& text, std::size_t& position) {
  const std::size_t begin = position;
  while (position < text.size() && is_digit(text[position])) ++position;
  const std::size_t first = std::min(text.find_first_not_of('0', begin), position);
  return text.substr(first, position - first);
}

}  // namespace

bool natural_less(const std::string& left, const std::string& right) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (is_digit(left[i]) && is_digit(right[j])) {
      const std::string a = digits(left, i);
      const std::string b = digits(right, j);
      if (a.size() != b.size()) return a.size() < b.size();
      if (a != b) return a < b;
    } else {
      if (left[i] != right[j]) return left[i] < right[j];
      ++i;
      ++j;
    }
  }
  if (i < left.size() || j < right.size()) return j < right.size();
  return left < right;
}

}  // namespace layerpipe::machine
