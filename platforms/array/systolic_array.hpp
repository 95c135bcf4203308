#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "workloads/network/training_gemms.hpp"

namespace layerpipe::array {

/// Which operand stays in the array's processing elements.
enum class Dataflow { weight_stationary, input_stationary, output_stationary };

/// The name used in platform files, e.g. "weight-stationary".
[[nodiscard]] std::string_view to_string(Dataflow dataflow);
[[nodiscard]] std::string_view to_string(network::InputGradientMapping mapping);

/// For whoever reads a name and has to find its value.
inline constexpr std::array all_dataflows{Dataflow::weight_stationary, Dataflow::input_stationary,
                                          Dataflow::output_stationary};
inline constexpr std::array all_input_gradient_mappings{network::InputGradientMapping::convolution,
                                                        network::InputGradientMapping::gemm};

/// Processing elements of an array.
struct ArraySize {
  std::int64_t rows = 1;
  std::int64_t cols = 1;

  friend bool operator==(const ArraySize&, const ArraySize&) = default;
};

/// One processor: a systolic array that executes one operation at a time.
struct SystolicArray {
  std::int64_t rows = 1;  ///< 0 and 0 if unknown: `measured` layers alone can be executed
  std::int64_t cols = 1;
  Dataflow dataflow = Dataflow::weight_stationary;  ///< of the forward pass and the input gradient
  Dataflow weight_gradient_dataflow = Dataflow::weight_stationary;
  /// Of a transposed convolution it maps the forward pass.
  network::InputGradientMapping input_gradient = network::InputGradientMapping::convolution;

  [[nodiscard]] bool has_size() const { return rows > 0 && cols > 0; }

  friend bool operator==(const SystolicArray&, const SystolicArray&) = default;
};

/// "32x16"; empty if the size is unknown.
[[nodiscard]] std::string size_text(const SystolicArray& array);

/// The simulation counts exactly up to here (docs/model.md).
inline constexpr std::int64_t max_cycles = 100'000'000'000'000;

/// Cycles of one GEMM on a rows x cols array: (2 rows + cols + T - 2) ceil(Sr/rows) ceil(Sc/cols),
/// where (Sr, Sc, T) is (K, N, M) weight-stationary, (K, M, N) input-stationary and (M, N, K)
/// output-stationary: SCALE-Sim's published formula (Samajdar et al., 2020). Equals SCALE-Sim v2's
/// "Total Cycles" + 1 for the first two, + 1 + rows x folds for the third, where v2 leaves out the
/// drain. Precondition: all sizes are positive. Throws InfeasibleError above max_cycles.
[[nodiscard]] std::int64_t gemm_cycles(std::int64_t rows, std::int64_t cols, Dataflow dataflow,
                                       const network::Gemm& gemm);

/// Cycles of the three operations of one layer and one minibatch.
struct TrainingCycles {
  std::int64_t forward = 0;
  std::int64_t input_gradient = 0;
  std::int64_t weight_gradient = 0;

  friend bool operator==(const TrainingCycles&, const TrainingCycles&) = default;
};

/// All 0 for layers without a GEMM. The groups of a convolution are executed one after the other.
/// Durations in seconds of a `measured` layer become the nearest whole number of cycles of a clock
/// of `clock_hertz`. Throws InfeasibleError, with the layer's name, if one of the operations takes
/// more than max_cycles, or if the array has no size and the layer needs one.
[[nodiscard]] TrainingCycles training_cycles(const SystolicArray& array, double clock_hertz,
                                             const network::Layer& layer, std::int64_t batch);

}  // namespace layerpipe::array
