#include "scheduler/placement/placed_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::placement {
namespace {

using base::in_quotes;

constexpr std::array all_kinds{costs::OpKind::forward, costs::OpKind::input_gradient,
                               costs::OpKind::weight_gradient};

/// Names, and the places that they have in a list.
class Names {
 public:
  /// `noun` and `expected` are for messages about names that are not in the list.
  Names(std::vector<std::string_view> names, std::string noun, std::string expected)
      : names_(std::move(names)), noun_(std::move(noun)), expected_(std::move(expected)) {
    for (std::size_t i = 0; i < names_.size(); ++i) places_.emplace(names_[i], i);
  }

  [[nodiscard]] bool has(std::string_view name) const { return places_.contains(name); }

  /// Throws InputError for an unknown name, with the nearest one.
  [[nodiscard]] std::size_t place(const base::JsonValue& name) const {
    const auto found = places_.find(name.text());
    if (found != places_.end()) return found->second;
    const auto near = base::nearest(name.text(), names_);
    name.fail(fmt::format("unknown {} {} ({})", noun_, in_quotes(name.text()),
                          near ? "nearest: " + base::printable(*near) : "expected " + expected_));
  }

 private:
  std::vector<std::string_view> names_;
  std::string noun_;
  std::string expected_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

std::vector<std::string_view> layer_names(const costs::Profile& profile) {
  std::vector<std::string_view> names;
  for (const costs::LayerProfile& layer : profile.layers) names.emplace_back(layer.name);
  return names;
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  names.reserve(all_kinds.size());
  for (const costs::OpKind kind : all_kinds) names.push_back(to_string(kind));
  return names;
}

double read_fraction(const base::JsonValue& value, costs::OpKind kind) {
  const double fraction = value.number();
  if (!(fraction > 0.0 && fraction <= 1.0)) {
    value.fail(fmt::format("fraction is {} (expected above 0, at most 1)", fraction));
  }
  if (kind != costs::OpKind::input_gradient && fraction != 1.0) {
    value.fail(fmt::format("fraction of {} is {} (expected 1: only input gradients are divided)",
                           to_string(kind), fraction));
  }
  return fraction;
}

class Reader {
 public:
  Reader(const costs::Profile& profile, const machine::Machine& machine)
      : profile_(profile),
        machine_(machine),
        kinds_(kind_names(), "operation", base::one_of(kind_names())),
        layer_names_(layer_names(profile), "layer", "a layer of the workload that has weights"),
        processor_names_({machine.processors.begin(), machine.processors.end()}, "processor",
                         "one of the platform"),
        layers_(profile.layers.size()) {}

  std::vector<PlacedLayer> read(const base::JsonValue& processors) {
    for (const base::JsonValue& processor : processors.items()) read_processor(processor);
    for (std::size_t l = 0; l < layers_.size(); ++l) check_whole(processors, l);
    return std::move(layers_);
  }

 private:
  void read_processor(const base::JsonValue& processor) {
    const base::JsonValue name = processor.at("name");
    if (!seen_.insert(name.text()).second) {
      name.fail(fmt::format("processor {} is there a second time (expected once)",
                            in_quotes(name.text())));
    }
    const std::vector<base::JsonValue> operations = processor.at("operations").items();
    if (operations.empty()) return;
    check_used(name);
    const costs::ProcessorId id = processor_names_.place(name);
    for (const base::JsonValue& operation : operations) read_operation(operation, id);
  }

  void check_used(const base::JsonValue& name) const {
    if (processor_names_.has(name.text())) return;
    if (std::ranges::find(machine_.left_out, name.text()) == machine_.left_out.end()) return;
    name.fail(fmt::format("processor {} is not used (expected one of the first {} of the platform)",
                          in_quotes(name.text()), machine_.processors.size()));
  }

  void read_operation(const base::JsonValue& operation, costs::ProcessorId processor) {
    const costs::OpKind kind = all_kinds[kinds_.place(operation.at("operation"))];
    const std::size_t layer = layer_names_.place(operation.at("layer"));
    const double fraction = read_fraction(operation.at("fraction"), kind);
    std::vector<PlacedOperation>& placed = layers_[layer].of(kind);
    const auto again = std::ranges::find_if(placed, [&](const PlacedOperation& other) {
      return kind != costs::OpKind::input_gradient || other.processor == processor;
    });
    if (again != placed.end()) {
      operation.fail(fmt::format("{} is there a second time (expected once, as in line {})",
                                 name(kind, layer), again->entry.position().line));
    }
    placed.push_back({operation, processor, fraction});
  }

  void check_whole(const base::JsonValue& processors, std::size_t layer) const {
    for (const costs::OpKind kind : all_kinds) {
      const std::vector<PlacedOperation>& placed = layers_[layer].of(kind);
      const bool is_needed =
          kind != costs::OpKind::input_gradient || profile_.layers[layer].has_input_gradient;
      if (is_needed && placed.empty()) {
        processors.fail(
            fmt::format("no {} (expected on one of the processors)", name(kind, layer)));
      }
      if (!is_needed && !placed.empty()) {
        placed.front().entry.fail(
            fmt::format("unexpected {} (expected none, since nothing before the layer needs it)",
                        name(kind, layer)));
      }
      if (is_needed) check_sum(placed, name(kind, layer));
    }
  }

  static void check_sum(const std::vector<PlacedOperation>& parts, const std::string& name) {
    constexpr double tolerance = 1e-9;
    double sum = 0.0;
    for (const PlacedOperation& part : parts) sum += part.fraction;
    if (std::abs(sum - 1.0) <= tolerance) return;
    parts.back()
        .entry.at("fraction")
        .fail(fmt::format("fractions of {} add up to {} (expected 1)", name, sum));
  }

  /// "forward of 'conv1'".
  [[nodiscard]] std::string name(costs::OpKind kind, std::size_t layer) const {
    return fmt::format("{} of {}", to_string(kind), in_quotes(profile_.layers[layer].name));
  }

  const costs::Profile& profile_;
  const machine::Machine& machine_;
  Names kinds_;
  Names layer_names_;
  Names processor_names_;
  std::unordered_set<std::string_view> seen_;  ///< processors
  std::vector<PlacedLayer> layers_;
};

}  // namespace

std::vector<PlacedLayer> read_placed_operations(const base::JsonValue& processors,
                                                const costs::Profile& profile,
                                                const machine::Machine& machine) {
  return Reader(profile, machine).read(processors);
}

}  // namespace layerpipe::placement
