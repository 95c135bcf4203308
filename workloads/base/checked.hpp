#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace layerpipe::base {

/// The product of `factors`, none of which is negative. Throws InputError, without a position, if
/// it is more than max_exact; `what` is then named as being too large.
[[nodiscard]] std::int64_t exact_product(std::initializer_list<std::int64_t> factors,
                                         std::string_view what);

/// The same for the sum.
[[nodiscard]] std::int64_t exact_sum(std::initializer_list<std::int64_t> terms,
                                     std::string_view what);

}  // namespace layerpipe::base
