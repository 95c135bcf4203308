#include "tests/support/random_graph.hpp"

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {

namespace {

struct Output {
  std::string name;
  std::uint64_t channels = 1;
};

/// Writes layers down one after the other.
class Generator {
 public:
  Generator(std::size_t weighted, std::uint64_t seed) : random_(seed), left_(weighted) {}

  std::string series_parallel() {
    Output end = conv({"input", 1});
    while (left_ > 0) end = block(end, 0);
    return text_;
  }

  std::string arbitrary() {
    std::vector<Output> outputs{conv({"input", 1})};
    while (left_ > 0) {
      const Output& a = any(outputs);
      switch (below(5)) {
        case 0:
          outputs.push_back(weightless(a));
          break;
        case 1:
          outputs.push_back(join({a, any(outputs), any(outputs)}));
          break;
        default:
          outputs.push_back(conv(below(8) == 0 ? Output{"input", 1} : a));
          break;
      }
    }
    return text_;
  }

 private:
  /// 0 to limit - 1, the same everywhere.
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  const Output& any(const std::vector<Output>& outputs) { return outputs[below(outputs.size())]; }

  std::string add_layer(const std::string& type, const std::string& inputs,
                        const std::string& rest = "") {
    const std::string name = fmt::format("n{}", count_++);
    text_ += fmt::format("  - {{name: {}, type: {}, inputs: [{}]{}}}\n", name, type, inputs, rest);
    return name;
  }

  Output conv(const Output& input) {
    --left_;
    const std::uint64_t channels = 1 + below(3);
    return {add_layer("conv2d", input.name,
                      fmt::format(", out_channels: {}, kernel_size: 1", channels)),
            channels};
  }

  Output weightless(const Output& input) {
    switch (below(3)) {
      case 0:
        return {add_layer("relu", input.name), input.channels};
      case 1:
        return {add_layer("batchnorm2d", input.name), input.channels};
      default:
        return {add_layer("maxpool2d", input.name, ", kernel_size: 3, stride: 1, padding: 1"),
                input.channels};
    }
  }

  /// A sum where all have as many channels, else a concat.
  Output join(const std::vector<Output>& inputs) {
    std::string names;
    std::uint64_t channels = 0;
    bool are_equal = true;
    for (const Output& input : inputs) {
      names += (names.empty() ? "" : ", ") + input.name;
      channels += input.channels;
      are_equal = are_equal && input.channels == inputs.front().channels;
    }
    if (are_equal && below(4) > 0) return {add_layer("add", names), inputs.front().channels};
    return {add_layer("concat", names), channels};
  }

  Output block(const Output& input, int depth) {
    if (left_ == 0) return input;
    if (depth == 3 || below(3) == 0) return below(2) == 0 ? conv(input) : weightless(conv(input));
    if (below(2) == 0) return block(block(input, depth + 1), depth + 1);
    std::vector<Output> branches;
    if (below(2) == 0) branches.push_back(input);
    const std::uint64_t count = 2 + below(2);
    while (branches.size() < count) branches.push_back(block(input, depth + 1));
    return join(branches);
  }

  std::mt19937_64 random_;
  std::size_t left_;
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace

network::Network random_graph(std::size_t weighted, std::uint64_t seed) {
  Generator generator(weighted, seed);
  const std::string layers = seed % 2 == 0 ? generator.series_parallel() : generator.arbitrary();
  return read::parse_network(
      "batch: 2\n"
      "bytes_per_element: {activations: 3, weights: 2, gradients: 5}\n"
      "input: {channels: 1, height: 4, width: 4}\n"
      "layers:\n" +
          layers,
      "random.yaml");
}

}  // namespace layerpipe::tests
