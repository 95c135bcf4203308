#include "scheduler/placement/read_allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/costs/split.hpp"
#include "scheduler/placement/lending.hpp"
#include "scheduler/placement/placed_operations.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::placement {
namespace {

using base::in_quotes;

template <typename Value>
using Named = std::pair<std::string_view, Value>;

constexpr std::array orders{Named<OrderOf>{"layerpipe", OrderOf::layerpipe},
                            Named<OrderOf>{"layerpipe-strict", OrderOf::layerpipe},
                            Named<OrderOf>{"layerpipe-optimal", OrderOf::layerpipe},
                            Named<OrderOf>{"pipedream", OrderOf::pipedream}};

constexpr std::array delay_rules{Named<DelayRule>{"2S", DelayRule::twice_stages_after},
                                 Named<DelayRule>{"S", DelayRule::stages_after}};

constexpr std::array priorities{Named<Priority>{"fixed", Priority::fixed},
                                Named<Priority>{"critical-loop", Priority::critical_loop}};

constexpr std::array splits{Named<costs::Split>{"ideal", costs::Split::ideal},
                            Named<costs::Split>{"channels", costs::Split::channels},
                            Named<costs::Split>{"batch", costs::Split::batch}};

/// What `value` names; `noun` is for messages.
template <typename Table>
auto find_named(const base::JsonValue& value, const Table& table, std::string_view noun) {
  std::vector<std::string_view> names;
  for (const auto& [name, meaning] : table) {
    if (name == value.text()) return meaning;
    names.push_back(name);
  }
  value.fail(fmt::format("unknown {} {} {}", noun, in_quotes(value.text()),
                         base::suggestion(value.text(), names)));
}

costs::Split read_split(const base::JsonValue& value, OrderOf order,
                        const costs::Profile& profile) {
  const costs::Split split = find_named(value, splits, "split");
  if (order == OrderOf::pipedream) return split;
  try {
    require_divisible(profile, split);
  } catch (const InfeasibleError& error) {
    value.fail(error.what());
  }
  return split;
}

Staleness read_staleness(const base::JsonValue& list, const costs::Profile& profile) {
  Staleness result;
  for (const base::JsonValue& item : list.items()) {
    const double number = item.number();
    if (!(number >= 0 && number <= static_cast<double>(max_staleness)) ||
        number != std::floor(number)) {
      item.fail(fmt::format("staleness is {} (expected a whole number from 0 to {})", number,
                            base::format_count(max_staleness)));
    }
    result.push_back(static_cast<std::int64_t>(number));
  }
  if (result.size() != profile.layers.size()) {
    list.fail(fmt::format("delays of {} layers (expected {}, one for each with weights)",
                          result.size(), profile.layers.size()));
  }
  return result;
}

/// Without the key those of the order.
Delays read_delays(const base::JsonValue& options, OrderOf order, const costs::Profile& profile) {
  const std::optional<base::JsonValue> value = options.find("delays");
  if (!value) return DelayRule::twice_stages_after;
  if (order == OrderOf::pipedream) value->fail("delays of pipedream are its own (expected null)");
  if (!value->is_text()) return read_staleness(*value, profile);
  return find_named(*value, delay_rules, "rule of delays");
}

/// Without the key that of the order.
Priority read_priority(const base::JsonValue& options, OrderOf order) {
  const std::optional<base::JsonValue> value = options.find("priority");
  if (!value) return Allocation().priority;
  if (order == OrderOf::pipedream) value->fail("pipedream has fixed orders (expected null)");
  return find_named(*value, priorities, "priority");
}

/// The rules that a placement keeps.
class Rules {
 public:
  Rules(const costs::Profile& profile, const machine::Machine& machine, OrderOf order,
        costs::Split split, const std::vector<PlacedLayer>& layers)
      : profile_(profile), machine_(machine), order_(order), split_(split), layers_(layers) {}

  /// Throws InputError, with the place in the file, where one is broken.
  [[nodiscard]] Allocation allocation() const {
    Allocation result{{}, split_};
    for (std::size_t l = 0; l < layers_.size(); ++l) check_home(l);
    for (std::size_t l = 0; l < layers_.size(); ++l) result.layers.push_back(place(l));
    return result;
  }

 private:
  [[nodiscard]] costs::ProcessorId home(std::size_t l) const {
    return layers_[l].forward().processor;
  }

  [[nodiscard]] std::string layer(std::size_t l) const {
    return in_quotes(profile_.layers[l].name);
  }

  [[nodiscard]] std::string processor(costs::ProcessorId p) const {
    return in_quotes(machine_.processors[p]);
  }

  /// Layers lie in their order, and leave out no processor that computes nothing.
  void check_home(std::size_t l) const {
    const costs::ProcessorId before = l == 0 ? 0 : home(l - 1);
    const bool may_open = l > 0 && before + 1 < machine_.processors.size();
    if (home(l) == before) return;
    if (may_open && home(l) > before && all_borrow(l - 1, before + 1, home(l))) return;
    std::string expected = l == 0 ? processor(0) + ", the first one"
                                  : fmt::format("{}, where {} is", processor(before), layer(l - 1));
    if (may_open) expected += fmt::format(", or {}, the one after it", processor(before + 1));
    layers_[l].forward().entry.fail(fmt::format("forward of {} is on {} (expected {})", layer(l),
                                                processor(home(l)), expected));
  }

  /// Each of the processors begin..end-1 computes a part of the input gradient of layer `l`.
  [[nodiscard]] bool all_borrow(std::size_t l, costs::ProcessorId begin,
                                costs::ProcessorId end) const {
    const std::span<const PlacedOperation> parts = layers_[l].input_gradient();
    for (costs::ProcessorId p = begin; p < end; ++p) {
      if (std::ranges::find(parts, p, &PlacedOperation::processor) == parts.end()) return false;
    }
    return true;
  }

  [[nodiscard]] Placement place(std::size_t l) const {
    const PlacedOperation& weight_gradient = layers_[l].weight_gradient();
    if (weight_gradient.processor != home(l)) {
      weight_gradient.entry.fail(
          fmt::format("weight_gradient of {} is on {} (expected {}, where "
                      "its forward is)",
                      layer(l), processor(weight_gradient.processor), processor(home(l))));
    }
    std::vector<BorrowedUnits> borrowed;
    for (const PlacedOperation& part : layers_[l].input_gradient()) {
      if (part.processor == home(l)) continue;
      check_lent(l, part);
      borrowed.push_back({part.processor, borrowed_units(l, part)});
    }
    std::ranges::sort(borrowed, std::greater{}, &BorrowedUnits::processor);
    const bool all_are_borrowed = borrowed.size() == layers_[l].input_gradient().size();
    if (!borrowed.empty() && all_are_borrowed) {  // the last one has what rounding has left
      borrowed.back().units = split_units(profile_.layers[l], split_);
    }
    return placement(profile_.layers[l], split_, home(l), borrowed);
  }

  [[noreturn]] void refuse_lent(std::size_t l, const PlacedOperation& part,
                                const std::string& reason, const std::string& also = {}) const {
    part.entry.fail(
        fmt::format("input_gradient of {} is on {}{} (expected {}, where its forward "
                    "is{})",
                    layer(l), processor(part.processor), reason, processor(home(l)), also));
  }

  void check_lent(std::size_t l, const PlacedOperation& part) const {
    if (order_ == OrderOf::pipedream) refuse_lent(l, part, ", but pipedream lends nothing");
    if (const auto obstacle = lending_obstacle(profile_, l)) {
      refuse_lent(l, part, fmt::format(", but cannot be lent: {}", *obstacle));
    }
    const costs::ProcessorId next = home(l + 1);
    if (part.processor < home(l) || part.processor > next) {
      refuse_lent(l, part, "", next == home(l) ? std::string() : others(l));
    }
    const std::size_t borrower = *profile_.layers[l].borrower;
    if (home(borrower) != next) {
      refuse_lent(l, part,
                  fmt::format(", but the gradient at its output is added up on {}, with {}",
                              processor(home(borrower)), layer(borrower)));
    }
  }

  /// Those that may borrow of layer `l`.
  [[nodiscard]] std::string others(std::size_t l) const {
    const costs::ProcessorId next = home(l + 1);
    const std::string where = fmt::format("{}, where the next layer is", processor(next));
    if (next == home(l) + 1) return ", or " + where;
    return fmt::format(", or one from {} to {}", processor(home(l) + 1), where);
  }

  [[nodiscard]] std::int64_t borrowed_units(std::size_t l, const PlacedOperation& part) const {
    constexpr double tolerance = 1e-9;
    const std::int64_t all = split_units(profile_.layers[l], split_);
    if (split_ == costs::Split::ideal) return whole_share(part.fraction, all);
    const double exact = part.fraction * static_cast<double>(all);
    const double units = std::round(exact);
    if (std::abs(exact - units) > tolerance * exact) refuse_fraction(l, part, all, exact);
    return static_cast<std::int64_t>(units);
  }

  [[noreturn]] void refuse_fraction(std::size_t l, const PlacedOperation& part, std::int64_t all,
                                    double exact) const {
    std::string nearest;
    for (const double units : {std::floor(exact), std::ceil(exact)}) {
      if (units == 0.0) continue;
      nearest += fmt::format("{}{} for {}", nearest.empty() ? "" : " or ",
                             units / static_cast<double>(all), units);
    }
    part.entry.at("fraction")
        .fail(fmt::format(
            "fraction {} of the {} {} of {} is not a whole number of them (nearest: {})",
            part.fraction, base::format_count(all), unit_name(split_), layer(l), nearest));
  }

  const costs::Profile& profile_;
  const machine::Machine& machine_;
  OrderOf order_;
  costs::Split split_;
  const std::vector<PlacedLayer>& layers_;
};

}  // namespace

GivenAllocation read_allocation(const std::string& path, const costs::Profile& profile,
                                const machine::Machine& machine) {
  return parse_allocation(base::read_file(path, base::JsonLimits::bytes), base::shown_path(path),
                          profile, machine);
}

GivenAllocation parse_allocation(std::string_view text, const std::string& file,
                                 const costs::Profile& profile, const machine::Machine& machine) {
  const base::JsonDocument document(text, file);
  const base::JsonValue root(document);
  const OrderOf order = find_named(root.at("schedule"), orders, "schedule");
  const base::JsonValue options = root.at("options");
  const costs::Split split = read_split(options.at("split"), order, profile);
  Delays delays = read_delays(options, order, profile);
  const Priority priority = read_priority(options, order);
  const std::vector<PlacedLayer> layers =
      read_placed_operations(root.at("processors"), profile, machine);
  GivenAllocation given{order, Rules(profile, machine, order, split, layers).allocation()};
  given.allocation.delays = std::move(delays);
  given.allocation.priority = priority;
  return given;
}

}  // namespace layerpipe::placement
