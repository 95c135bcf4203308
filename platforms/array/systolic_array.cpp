#include "platforms/array/systolic_array.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "workloads/base/error.hpp"

namespace layerpipe::array {

namespace {

using network::Gemm;
using network::InputGradientMapping;

/// A GEMM as the array sees it: `rows` x `cols` values held, `stream` vectors passed through.
struct Mapping {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t stream;
};

Mapping map(Dataflow dataflow, const Gemm& gemm) {
  switch (dataflow) {
    case Dataflow::weight_stationary:
      return {gemm.k, gemm.n, gemm.m};
    case Dataflow::input_stationary:
      return {gemm.k, gemm.m, gemm.n};
    case Dataflow::output_stationary:
      return {gemm.m, gemm.n, gemm.k};
  }
  throw InternalError("unknown dataflow");
}

std::int64_t divide_up(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

std::optional<std::int64_t> add(std::optional<std::int64_t> a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!a || __builtin_add_overflow(*a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<std::int64_t> multiply(std::optional<std::int64_t> a, std::int64_t b) {
  std::int64_t product = 0;
  if (!a || __builtin_mul_overflow(*a, b, &product)) return std::nullopt;
  return product;
}

/// `what` names the operation in the error.
std::int64_t bounded(std::optional<std::int64_t> cycles, std::string_view what) {
  if (cycles && *cycles <= max_cycles) return *cycles;
  throw InfeasibleError(fmt::format(
      "{} takes more than 10^14 cycles (expected at most as many: so far the simulation counts "
      "exactly)",
      what));
}

/// None where it takes more than 64 bits.
std::optional<std::int64_t> folded_cycles(const ArraySize& size, Dataflow dataflow,
                                          const Gemm& gemm) {
  const Mapping mapping = map(dataflow, gemm);
  const auto pass = add(add(add(multiply(size.rows, 2), size.cols), mapping.stream), -2);
  return multiply(multiply(pass, divide_up(mapping.rows, size.rows)),
                  divide_up(mapping.cols, size.cols));
}

/// Cycles of `count` GEMMs of one size.
std::int64_t bounded_gemm_cycles(const ArraySize& size, Dataflow dataflow, const Gemm& gemm,
                                 std::int64_t count, std::string_view what) {
  return bounded(multiply(folded_cycles(size, dataflow, gemm), count), what);
}

std::int64_t measured_cycles(const base::Duration& duration, double clock_hertz,
                             std::string_view what) {
  if (duration.seconds == 0.0) return bounded(duration.cycles, what);
  const double cycles = std::round(duration.seconds * clock_hertz);
  if (!(cycles <= static_cast<double>(max_cycles))) return bounded(std::nullopt, what);
  return static_cast<std::int64_t>(cycles);
}

}  // namespace

std::string_view to_string(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::weight_stationary:
      return "weight-stationary";
    case Dataflow::input_stationary:
      return "input-stationary";
    case Dataflow::output_stationary:
      return "output-stationary";
  }
  throw InternalError("unknown dataflow");
}

std::string_view to_string(InputGradientMapping mapping) {
  switch (mapping) {
    case InputGradientMapping::convolution:
      return "convolution";
    case InputGradientMapping::gemm:
      return "gemm";
  }
  throw InternalError("unknown mapping of the input gradient");
}

std::string size_text(const SystolicArray& array) {
  return array.has_size() ? fmt::format("{}x{}", array.rows, array.cols) : std::string();
}

std::int64_t gemm_cycles(std::int64_t rows, std::int64_t cols, Dataflow dataflow,
                         const Gemm& gemm) {
  const auto cycles = folded_cycles({rows, cols}, dataflow, gemm);
  if (cycles && *cycles <= max_cycles) return *cycles;
  return bounded(std::nullopt,
                 fmt::format("a GEMM of {} x {} times {} x {}", gemm.m, gemm.k, gemm.k, gemm.n));
}

TrainingCycles training_cycles(const SystolicArray& array, double clock_hertz,
                               const network::Layer& layer, std::int64_t batch) {
  if (!network::has_gemm(layer)) return {};
  const std::string forward = fmt::format("the forward pass of layer {}", layer.name);
  const std::string input_gradient = fmt::format("the input gradient of layer {}", layer.name);
  const std::string weight_gradient = fmt::format("the weight gradient of layer {}", layer.name);
  if (layer.type == network::LayerType::measured) {
    const network::MeasuredCosts& costs = layer.measured;
    return {measured_cycles(costs.forward, clock_hertz, forward),
            measured_cycles(costs.input_gradient, clock_hertz, input_gradient),
            measured_cycles(costs.weight_gradient, clock_hertz, weight_gradient)};
  }
  if (!array.has_size()) {
    throw InfeasibleError(
        fmt::format("layer {} takes cycles by the size of the array, which the platform does not "
                    "give (expected the properties rows and cols there, or --array)",
                    layer.name));
  }
  const auto cycles = [&](Dataflow dataflow, const Gemm& gemm, std::string_view what) {
    return bounded_gemm_cycles({array.rows, array.cols}, dataflow, gemm, layer.groups, what);
  };
  return {
      cycles(array.dataflow, forward_gemm(layer, batch, array.input_gradient), forward),
      cycles(array.dataflow, input_gradient_gemm(layer, batch, array.input_gradient),
             input_gradient),
      cycles(array.weight_gradient_dataflow, weight_gradient_gemm(layer, batch), weight_gradient)};
}

}  // namespace layerpipe::array
