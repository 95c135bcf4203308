#include "platforms/file/platform_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "platforms/file/array_properties.hpp"
#include "platforms/file/element_rules.hpp"
#include "platforms/file/known_elements.hpp"
#include "platforms/file/xml_document.hpp"
#include "platforms/file/zone_routes.hpp"
#include "platforms/machine/machine.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::file {

namespace {

using base::in_quotes;

/// Goes through the elements of a document in its order.
class Checker final : public pugi::xml_tree_walker {
 public:
  Checker(const XmlDocument& document, const array::ArrayOverrides& overrides)
      : document_(document), overrides_(overrides) {}

  bool for_each(pugi::xml_node& element) override {
    if (element.type() != pugi::node_element) return true;
    constexpr int deepest = 64;  // SimGrid's parser corrupts its memory from about 500 on
    if (depth() >= deepest) {
      document_.refuse(element,
                       fmt::format("nested too deeply (expected at most {} levels)", deepest));
    }
    check_element(document_, element);
    const std::string_view name = element.name();
    if (name == "host") add_hosts(element, {element.attribute("id").value()});
    if (name == "cluster" || name == "cabinet") add_hosts(element, cluster_hosts(element));
    if (name == "link" || name == "backbone") check_link(element);
    if (name == "link_ctn") check_direction(element);
    if (name == "zone" || name == "AS") check_zone_routes(document_, element);
    return true;
  }

  /// After the walk.
  PlatformFile result() {
    if (file_.hosts.empty()) {
      throw InputError({document_.file(), 0, 0}, "has no hosts (expected at least one processor)");
    }
    return std::move(file_);
  }

 private:
  void add_hosts(const pugi::xml_node& element, const std::vector<std::string>& names) {
    const array::SystolicArray array = array_properties(document_, element, overrides_);
    if (file_.hosts.empty()) file_.array = array;
    if (array != file_.array) {
      throw InfeasibleError(fmt::format(
          "{}: {} {} differs in its array from the first one ({}, {}); expected equal processors",
          to_string(document_.position(element)), element.name(), in_quotes(names.front()),
          file_.array.has_size() ? size_text(file_.array) : "no rows and cols",
          to_string(file_.array.dataflow)));
    }
    for (const std::string& name : names) {
      if (!file_.hosts.emplace(name, document_.position(element)).second) {
        document_.refuse(
            element, fmt::format("a second host {} (expected different names)", in_quotes(name)));
      }
    }
    check_count(element, file_.hosts.size());
  }

  void check_count(const pugi::xml_node& element, std::size_t hosts) const {
    if (hosts <= machine::max_processors) return;
    throw InfeasibleError(fmt::format("{}: more than {} processors (expected fewer)",
                                      to_string(document_.position(element)),
                                      machine::max_processors));
  }

  /// The names that SimGrid makes of prefix, radical ("0-3,7") and suffix.
  std::vector<std::string> cluster_hosts(const pugi::xml_node& cluster) const {
    std::vector<std::string> names;
    const std::string_view radical = cluster.attribute("radical").value();
    for (std::size_t begin = 0; begin <= radical.size();) {
      const std::size_t end = std::min(radical.find(',', begin), radical.size());
      const auto [first, last] = radical_range(cluster, radical.substr(begin, end - begin));
      check_count(cluster, names.size() + static_cast<std::size_t>(last - first) + 1);
      for (int i = first; i <= last; ++i) {
        names.push_back(fmt::format("{}{}{}", cluster.attribute("prefix").value(), i,
                                    cluster.attribute("suffix").value()));
      }
      begin = end + 1;
    }
    return names;
  }

  std::pair<int, int> radical_range(const pugi::xml_node& cluster, std::string_view text) const {
    int first = -1;
    int last = -1;
    const char* const end = text.data() + text.size();
    auto parsed = std::from_chars(text.data(), end, first);
    if (parsed.ec == std::errc{} && parsed.ptr == end) {
      last = first;
    } else if (parsed.ec == std::errc{} && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
    }
    if (parsed.ec != std::errc{} || parsed.ptr != end || first < 0 || last < first) {
      document_.refuse(cluster, fmt::format("radical {} (expected for example 0-3)",
                                            in_quotes(cluster.attribute("radical").value())));
    }
    return {first, last};
  }

  void check_link(const pugi::xml_node& link) {
    const std::string id = link.attribute("id").value();
    const std::string_view sharing = link.attribute("sharing_policy").value();
    if (sharing == "WIFI")
      document_.refuse(
          link, "sharing policy WIFI is not modelled (expected SHARED, FATPIPE or SPLITDUPLEX)");
    if (!links_.insert(id).second) {
      document_.refuse(link,
                       fmt::format("a second link {} (expected different names)", in_quotes(id)));
    }
    if (sharing == "SPLITDUPLEX") split_links_.insert(id);
  }

  /// SimGrid says of a split-duplex link without a direction that there is no such link.
  void check_direction(const pugi::xml_node& use) const {
    const std::string id = use.attribute("id").value();
    const std::string_view direction = use.attribute("direction").value();
    if (split_links_.contains(id) && direction != "UP" && direction != "DOWN") {
      document_.refuse(use, fmt::format("link {} is split-duplex (expected direction=\"UP\" or "
                                        "\"DOWN\")",
                                        in_quotes(id)));
    }
  }

  const XmlDocument& document_;
  const array::ArrayOverrides& overrides_;
  PlatformFile file_;
  std::set<std::string> links_;
  std::set<std::string> split_links_;
};

void check_document_type(const XmlDocument& document, const pugi::xml_node& root) {
  constexpr std::string_view expected =
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";
  for (const pugi::xml_node& node : document.tree().children()) {
    if (node.type() != pugi::node_doctype) continue;
    if (std::string_view(node.value()).find('[') == std::string_view::npos) return;
    document.refuse(root, fmt::format("declarations in the document type (expected {})", expected));
  }
  document.refuse(root, fmt::format("no document type (expected {} above)", expected));
}

/// SimGrid 3.32 has no zone around the outermost ones, 4.0 has.
void check_outermost(const XmlDocument& document, const pugi::xml_node& root) {
  constexpr std::array<std::string_view, 4> zones{"zone", "AS", "cluster", "cabinet"};
  bool has_one = false;
  for (const pugi::xml_node& element : root.children()) {
    if (std::ranges::find(zones, element.name()) == zones.end()) continue;
    if (has_one) {
      document.refuse(element,
                      fmt::format("{} {} beside another zone (expected one zone around both)",
                                  element.name(), in_quotes(element.attribute("id").value())));
    }
    has_one = true;
  }
}

/// SimGrid insists on the document type, on a version that it knows, and on nothing else.
void check_root(const XmlDocument& document) {
  const pugi::xml_node root = document.tree().document_element();
  if (std::string_view(root.name()) != "platform") {
    document.refuse(root, fmt::format("the root is <{}> (expected <platform>)", root.name()));
  }
  check_document_type(document, root);
  if (const pugi::xml_node second = root.next_sibling()) {
    document.refuse(second, "more behind </platform> (expected the end of the file)");
  }
  check_known(document, root);
  constexpr double oldest = 4.0;
  constexpr double newest = 4.1;
  const double version = root.attribute("version").as_double();
  if (!(version >= oldest && version <= newest)) {
    document.refuse(root, fmt::format("version {} of the platform (expected 4 or 4.1)",
                                      in_quotes(root.attribute("version").value())));
  }
  check_outermost(document, root);
}

}  // namespace

std::string read_platform_text(const std::string& path) {
  constexpr std::size_t largest_file = 32U << 20U;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError({path, 0, 0}, "is not a file (expected a SimGrid platform in XML)");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const std::size_t limit = error ? largest_file : std::min<std::uintmax_t>(size, largest_file);
  return base::read_file(path, limit);
}

PlatformFile read_platform_file(const std::string& path, const array::ArrayOverrides& overrides) {
  return check_platform(read_platform_text(path), path, overrides);
}

PlatformFile check_platform(std::string_view text, const std::string& file,
                            const array::ArrayOverrides& overrides) {
  const XmlDocument document(text, file);
  check_root(document);
  Checker checker(document, overrides);
  pugi::xml_node root = document.tree().document_element();
  root.traverse(checker);
  PlatformFile result = checker.result();
  result.bytes = text.size();
  return result;
}

}  // namespace layerpipe::file
