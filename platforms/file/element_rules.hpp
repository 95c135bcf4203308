#pragma once

#include "platforms/file/xml_document.hpp"

namespace layerpipe::file {

/// Checks what can be said of one element alone: that SimGrid knows and the simulator models it and
/// each of its attributes, that the attributes which SimGrid needs are there, and that quantities
/// are numbers with a unit and a sensible sign. Throws InputError at the element.
void check_element(const XmlDocument& document, const pugi::xml_node& element);

}  // namespace layerpipe::file
