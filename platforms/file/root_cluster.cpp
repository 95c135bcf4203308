#include "platforms/file/root_cluster.hpp"

#include "platforms/file/xml_document.hpp"

namespace layerpipe::file {

namespace {

/// The end tag of the platform, which is looked for from `begin` on and not in comments.
std::size_t end_of_platform(std::string_view text, std::size_t begin) {
  constexpr std::string_view end_tag = "</platform";
  constexpr std::string_view comment = "<!--";
  std::size_t i = text.find('<', begin);
  while (i != std::string_view::npos && !text.substr(i).starts_with(end_tag)) {
    const bool is_comment = text.substr(i).starts_with(comment);
    i = text.find('<', is_comment ? text.find("-->", i + comment.size()) : i + 1);
  }
  return i;
}

bool has_topology(const pugi::xml_node& cluster) {
  const std::string_view topology = cluster.attribute("topology").value();
  return !topology.empty() && topology != "FLAT";
}

}  // namespace

std::optional<std::string> with_zone_around_cluster(std::string_view text) {
  const XmlDocument document(text, "");
  const pugi::xml_node cluster = document.tree().document_element().child("cluster");
  if (!has_topology(cluster)) return std::nullopt;
  constexpr std::size_t bracket = 1;
  const std::size_t begin = static_cast<std::size_t>(cluster.offset_debug()) - bracket;
  const std::size_t end = end_of_platform(text, begin);
  if (end == std::string_view::npos) return std::nullopt;
  std::string result(text.substr(0, begin));
  result += R"(<zone id="_around_cluster_" routing="Full">)";
  result += text.substr(begin, end - begin);
  result += "</zone>";
  result += text.substr(end);
  return result;
}

}  // namespace layerpipe::file
