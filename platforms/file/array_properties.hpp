#pragma once

#include "platforms/array/array_overrides.hpp"
#include "platforms/array/systolic_array.hpp"
#include "platforms/file/xml_document.hpp"

namespace layerpipe::file {

/// The systolic array that the properties of a host or a cluster describe; without a size if there
/// are neither `rows` nor `cols`. Other properties are left alone, unless they look like a misspelt
/// one of ours. Throws InputError at the property, or at the element if one of the two is missing.
[[nodiscard]] array::SystolicArray array_properties(const XmlDocument& document,
                                                    const pugi::xml_node& element,
                                                    const array::ArrayOverrides& overrides);

}  // namespace layerpipe::file
