#pragma once

#include <optional>

#include "platforms/systolic_array.hpp"
#include "platforms/xml_document.hpp"

namespace layerpipe::platforms {

/// The systolic array that the properties of a host or a cluster describe. `size` replaces `rows`
/// and `cols`, which then need not be there. Other properties are left alone, unless they look like
/// a misspelt optional one of ours. Throws InputError at the property, or at the element if one is
/// missing.
[[nodiscard]] SystolicArray array_properties(const XmlDocument& document,
                                             const pugi::xml_node& element,
                                             std::optional<ArraySize> size);

}  // namespace layerpipe::platforms
