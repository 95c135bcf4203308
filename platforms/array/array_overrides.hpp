#pragma once

#include <optional>

#include "platforms/array/systolic_array.hpp"

namespace layerpipe::array {

/// What counts for all arrays instead of what the properties of hosts say.
struct ArrayOverrides {
  std::optional<ArraySize> size = {};     ///< of `rows` and `cols`
  std::optional<Dataflow> dataflow = {};  ///< of `dataflow`
};

}  // namespace layerpipe::array
