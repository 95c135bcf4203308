#include "workloads/base/checked.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw InputError(
      fmt::format("{} too large (expected at most {})", what, format_count(max_exact)));
}

}  // namespace

std::int64_t exact_product(std::initializer_list<std::int64_t> factors, std::string_view what) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor > max_exact / product) refuse(what);
    product *= factor;
  }
  return product;
}

std::int64_t exact_sum(std::initializer_list<std::int64_t> terms, std::string_view what) {
  std::int64_t sum = 0;
  for (const std::int64_t term : terms) {
    if (term > max_exact - sum) refuse(what);
    sum += term;
  }
  return sum;
}

}  // namespace layerpipe::base
