#include "tests/support/divisible_profile.hpp"

#include <random>

#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {

namespace {

using Random = std::mt19937_64;

std::int64_t from_to(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

void draw_borrowers(costs::Profile& profile, Random& random) {
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    const std::size_t borrower = l + static_cast<std::size_t>(from_to(random, 1, 3));
    const bool is_used = borrower < profile.layers.size() && from_to(random, 0, 5) > 0;
    profile.layers[l].borrower = is_used ? std::optional(borrower) : std::nullopt;
  }
}

array::InputGradientGemms draw_gemms(std::int64_t samples, array::Dataflow dataflow,
                                     std::int64_t max_group_channels, Random& random) {
  array::InputGradientGemms gemms;
  gemms.size = {4, 4};
  gemms.dataflow = dataflow;
  gemms.groups = from_to(random, 1, 3);
  gemms.group_channels = from_to(random, 1, max_group_channels);
  gemms.samples = samples;
  gemms.gemm = {samples * from_to(random, 1, 20), from_to(random, 1, 12),
                gemms.group_channels * from_to(random, 1, 3)};
  return gemms;
}

}  // namespace

costs::Profile divisible_profile(std::size_t layers, std::int64_t max_group_channels,
                                 std::uint64_t seed) {
  Random random(seed);
  const std::int64_t samples = from_to(random, 1, 6);
  const auto dataflow = array::all_dataflows[seed % array::all_dataflows.size()];
  std::vector<LayerCosts> costs;
  std::vector<array::InputGradientGemms> gemms;
  for (std::size_t l = 0; l < layers; ++l) {
    gemms.push_back(draw_gemms(samples, dataflow, max_group_channels, random));
    const std::int64_t delta = cycles_of_samples(gemms.back(), samples);
    costs.push_back({from_to(random, 1, 300), delta, from_to(random, 0, 300),
                     from_to(random, 1, 9000), from_to(random, 1, 900)});
  }
  costs::Profile profile = test_profile(costs);
  for (std::size_t l = 0; l < layers; ++l) profile.layers[l].input_gradient_gemms = gemms[l];
  draw_borrowers(profile, random);
  return profile;
}

costs::Profile tiny_profile(std::size_t layers, std::uint64_t seed) {
  Random random(seed);
  std::vector<LayerCosts> costs;
  for (std::size_t l = 0; l < layers; ++l) {
    costs.push_back({from_to(random, 0, 9), from_to(random, 0, 9), from_to(random, 0, 9), 100, 10});
  }
  costs::Profile profile = test_profile(costs);
  draw_borrowers(profile, random);
  return profile;
}

}  // namespace layerpipe::tests
