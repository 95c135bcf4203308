#include "platforms/file/named_element.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "platforms/file/xml_document.hpp"

namespace layerpipe::file {

namespace {

bool is_part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool has_word(std::string_view message, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t i = message.find(word); i < message.size(); i = message.find(word, i + 1)) {
    const std::size_t end = i + word.size();
    const bool begins = i == 0 || !is_part_of_word(message[i - 1]);
    const bool ends = end == message.size() || !is_part_of_word(message[end]);
    if (begins && ends) return true;
  }
  return false;
}

/// Looks for the element with most of its names in a message.
class Search final : public pugi::xml_tree_walker {
 public:
  explicit Search(std::string_view message) : message_(message) {}

  bool for_each(pugi::xml_node& element) override {
    constexpr std::array names{"id", "src", "dst", "up", "down"};
    const auto count = std::ranges::count_if(names, [&](const char* name) {
      return has_word(message_, element.attribute(name).value());
    });
    if (count > 0 && count >= most_) {
      most_ = count;
      best_ = element;
    }
    return true;
  }

  [[nodiscard]] const pugi::xml_node& best() const { return best_; }

 private:
  std::string_view message_;
  std::ptrdiff_t most_ = 0;
  pugi::xml_node best_;
};

}  // namespace

std::optional<SourcePosition> position_of_named(std::string_view message, std::string_view text,
                                                const std::string& file) {
  const XmlDocument document(text, file);
  Search search(message);
  pugi::xml_node root = document.tree().document_element();
  root.traverse(search);
  if (!search.best()) return std::nullopt;
  return document.position(search.best());
}

}  // namespace layerpipe::file
