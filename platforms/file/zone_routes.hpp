#pragma once

#include "platforms/file/xml_document.hpp"

namespace layerpipe::file {

/// Checks the routing of one `<zone>` and the routes that stand in it:
///  - the kind of routing is one whose latencies lie on links;
///  - no route is given twice (a route is also one for the way back unless `symmetrical="no"`);
///  - Dijkstra's routing, and none, reach every member of the zone from every other: where there is
///    no way, SimGrid 3.32 crashes or searches without end;
///  - every host of a zone with routing Cluster has its link.
/// Throws InputError at the element.
void check_zone_routes(const XmlDocument& document, const pugi::xml_node& zone);

}  // namespace layerpipe::file
