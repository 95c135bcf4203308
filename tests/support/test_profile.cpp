#include "tests/support/test_profile.hpp"

#include <random>
#include <string>

namespace layerpipe::tests {

costs::Profile test_profile(const std::vector<LayerCosts>& layers) {
  costs::Profile profile;
  for (const LayerCosts& costs : layers) {
    costs::LayerProfile layer;
    layer.name = "layer" + std::to_string(profile.layers.size() + 1);
    layer.forward_cycles = costs.forward;
    layer.has_input_gradient = !profile.layers.empty();
    layer.input_gradient_cycles = layer.has_input_gradient ? costs.input_gradient : 0;
    layer.weight_gradient_cycles = costs.weight_gradient;
    layer.weight_bytes = costs.weight_bytes;
    layer.parameter_bytes = costs.weight_bytes;
    layer.parameter_gradient_bytes = costs.weight_bytes;
    profile.layers.push_back(layer);
  }
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    const std::int64_t bytes = layers[l].activation_bytes;
    profile.layers[l].borrower = l + 1;
    profile.layers[l + 1].input_gradient_bytes = bytes;
    profile.values.push_back({l, bytes, bytes, {{l + 1}}});
  }
  if (!profile.layers.empty()) profile.layers.back().has_loss = true;
  return profile;
}

costs::Profile sample_profile() {
  constexpr std::int64_t bytes = 4;
  constexpr std::int64_t batch = 32;
  return test_profile({
      {8028630, 0, 12092416, batch * 224 * 224 * 16 * bytes, 7 * 7 * 3 * 16 * bytes},
      {4015020, 22480164, 5970944, batch * 112 * 112 * 48 * bytes, 3 * 3 * 16 * 48 * bytes},
      {2812488, 14454072, 3299072, batch * 56 * 56 * 64 * bytes, 3 * 3 * 48 * 64 * bytes},
      {7232112, 7232112, 8404480, batch * 56 * 56 * 128 * bytes, 3 * 3 * 64 * 128 * bytes},
  });
}

costs::Profile random_profile(std::size_t layers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto up_to = [&random](std::uint64_t limit) {
    return static_cast<std::int64_t>(random() % (limit + 1));
  };
  std::vector<LayerCosts> costs;
  for (std::size_t l = 0; l < layers; ++l) {
    costs.push_back({up_to(999) + 1, up_to(1000), up_to(1000), up_to(20000), up_to(5000)});
  }
  return test_profile(costs);
}

}  // namespace layerpipe::tests
