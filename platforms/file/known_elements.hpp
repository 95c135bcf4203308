#pragma once

#include "platforms/file/xml_document.hpp"

namespace layerpipe::file {

/// Checks that SimGrid 3.32 knows `element`, each of its attributes, and the value of an attribute
/// that has a choice of them (its simgrid.dtd, version 4.1). Throws InputError at the element, with
/// the nearest name.
void check_known(const XmlDocument& document, const pugi::xml_node& element);

}  // namespace layerpipe::file
