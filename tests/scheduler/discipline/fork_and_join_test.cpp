#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/costs/split.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"
#include "tests/support/test_machine.hpp"
#include "workloads/read/read_network.hpp"

// Each form of fork and join on a network of its own. All convolutions are 1 x 1 on images of 10 x
// 10, with one sample and one byte per element, so that a value of c channels has 100 c bytes, and
// weights from c to d channels have c d. The tensors are written out by hand.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;
using testing::UnorderedElementsAreArray;

Profile profile_of(const std::string& layers) {
  const auto network = read::parse_network(
      "batch: 1\n"
      "bytes_per_element: {activations: 1, weights: 1, gradients: 1}\n"
      "input: {channels: 1, height: 10, width: 10}\n"
      "layers:\n" +
          layers,
      "graph.yaml");
  return profile(test_machine(8), network);
}

std::string conv(const std::string& name, int channels, const std::string& input) {
  return fmt::format(
      "  - {{name: {}, type: conv2d, inputs: {}, out_channels: {}, kernel_size: 1, bias: false}}\n",
      name, input, channels);
}

std::string join(const std::string& name, const std::string& type, const std::string& inputs) {
  return fmt::format("  - {{name: {}, type: {}, inputs: [{}]}}\n", name, type, inputs);
}

/// "FP a", "delta b'", "G c", "B1" the whole backward pass on p1.
std::string name_of(const Schedule& schedule, OpId id) {
  const Op& op = schedule.ops[id];
  if (op.parts.size() > 1 || schedule.name == "pipedream") {
    if (op.parts.front().kind != OpKind::forward) return fmt::format("B{}", op.processor);
  }
  const OpPart& part = op.parts.front();
  const std::string& layer = schedule.layer_names[part.layer];
  switch (part.kind) {
    case OpKind::forward:
      return "FP " + layer;
    case OpKind::weight_gradient:
      return "G " + layer;
    case OpKind::input_gradient:
      break;
  }
  ProcessorId home = 0;
  for (const Op& other : schedule.ops) {
    const OpPart& first = other.parts.front();
    if (first.kind == OpKind::forward && first.layer == part.layer) home = other.processor;
  }
  const char* prime = part.fraction == 1.0 ? "" : op.processor == home ? "'" : "''";
  return fmt::format("delta {}{}", layer, prime);
}

/// What a tensor is made of, behind ": ", in the order of the alphabet.
std::string with_sorted_summands(const std::string& tensor) {
  const std::size_t colon = tensor.find(": ") + 2;
  std::vector<std::string> summands;
  for (std::size_t begin = colon; begin < tensor.size();) {
    const std::size_t end = std::min(tensor.find(" + ", begin), tensor.size());
    summands.push_back(tensor.substr(begin, end - begin));
    begin = end + 3;
  }
  std::sort(summands.begin(), summands.end());
  return fmt::format("{}{}", tensor.substr(0, colon), fmt::join(summands, " + "));
}

/// These tensors, in any order.
auto Tensors(std::vector<std::string> tensors) {
  for (std::string& tensor : tensors) tensor = with_sorted_summands(tensor);
  return UnorderedElementsAreArray(tensors);
}

std::string way_of(const Schedule& schedule, TensorId id) {
  const Tensor& tensor = schedule.tensors[id];
  const std::string& layer = schedule.layer_names[tensor.layer];
  if (tensor.tensor_class == TensorClass::local) {
    return fmt::format("sum p{} {}", tensor.source, layer);
  }
  return fmt::format("p{}->p{} {}", tensor.source, tensor.destination, layer);
}

/// "p2->p1 a 200 gradients: delta b'' + (p3->p2 c)": way, layer, bytes, class unless mandatory, and
/// what it is made of.
std::vector<std::string> tensors(const Schedule& schedule) {
  const std::map<TensorClass, std::string> classes{
      {TensorClass::local, ""},
      {TensorClass::mandatory, ""},
      {TensorClass::additional_weights, " weights"},
      {TensorClass::additional_gradients, " gradients"}};
  std::vector<std::string> result;
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const Tensor& tensor = schedule.tensors[id];
    std::string from;
    const auto add = [&from](const std::string& text) {
      from += (from.empty() ? "" : " + ") + text;
    };
    for (const OpId op : tensor.producers) add(name_of(schedule, op));
    for (const TensorId part : tensor.parts) add("(" + way_of(schedule, part) + ")");
    result.push_back(with_sorted_summands(fmt::format(
        "{} {}{}: {}", way_of(schedule, id), tensor.bytes, classes.at(tensor.tensor_class), from)));
  }
  return result;
}

std::vector<std::string> pipedream(const Profile& profile, const std::vector<ProcessorId>& stages) {
  const Schedule schedule = pipedream_schedule("pipedream", profile, stages, 8);
  check(schedule, profile);
  return tensors(schedule);
}

/// `lent` gives the fractions of some layers' input gradients.
std::vector<std::string> layerpipe(const Profile& profile, const std::vector<ProcessorId>& stages,
                                   const std::map<std::string, double>& lent = {}) {
  Allocation allocation;
  for (std::size_t l = 0; l < stages.size(); ++l) {
    const auto fraction = lent.find(profile.layers[l].name);
    if (fraction == lent.end()) {
      allocation.layers.push_back({stages[l]});
      continue;
    }
    const std::int64_t cycles = units_of(profile.layers[l], Split::ideal, fraction->second);
    allocation.layers.push_back({stages[l], {{stages[l + 1], fraction->second, cycles}}});
  }
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 8);
  check(schedule, profile);
  return tensors(schedule);
}

/// a -> b -> c, a + c -> d.
Profile identity_shortcut() {
  return profile_of(conv("a", 2, "input") + conv("b", 3, "a") + conv("c", 2, "b") +
                    join("s", "add", "c, a") + conv("d", 5, "s"));
}

TEST(IdentityShortcut, PipeDream) {
  const Profile profile = identity_shortcut();
  EXPECT_THAT(pipedream(profile, {0, 1, 2, 3}),
              Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 b 300: FP b",
                       "p2->p3 c 200: FP c", "p3->p2 c 200: B3", "p2->p1 b 300: B2",
                       "p2->p1 a 200: B2", "p1->p0 a 200: B1"}));
  EXPECT_THAT(pipedream(profile, {0, 0, 1, 1}), Tensors({"p0->p1 a 200: FP a", "p0->p1 b 300: FP b",
                                                         "p1->p0 b 300: B1", "p1->p0 a 200: B1"}));
}

/// The gradient at a: layer b's part, and the shortcut's, which is the gradient at the sum.
TEST(IdentityShortcut, LayerPipe) {
  const Profile profile = identity_shortcut();
  EXPECT_THAT(
      layerpipe(profile, {0, 1, 2, 3}, {{"b", 0.25}, {"c", 0.5}}),
      Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 b 300: FP b",
               "p2->p3 c 200: FP c", "p3->p2 c 200: delta d", "p2->p1 b 150: delta c'",
               "p3->p1 b 150: delta c''", "p3->p2 b 150 gradients: delta c''",
               "p2->p1 a 200: delta b'' + (p3->p2 c)", "sum p1 a 200: delta b' + (p2->p1 a)",
               "p1->p0 a 200: (sum p1 a)", "p1->p2 b 1 weights: G b", "p2->p3 c 3 weights: G c"}));
  EXPECT_THAT(layerpipe(profile, {0, 0, 1, 1}, {{"b", 0.5}}),
              Tensors({"p0->p1 a 200: FP a", "p0->p1 b 300: FP b", "p1->p0 b 300: delta c",
                       "p1->p0 a 200: delta b'' + delta d", "sum p0 a 200: delta b' + (p1->p0 a)",
                       "p0->p1 b 3 weights: G b"}));
  EXPECT_THAT(layerpipe(profile, {0, 1, 2, 2}, {{"b", 0.5}}),
              Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 b 300: FP b",
                       "p2->p1 b 300: delta c", "p2->p1 a 200: delta b'' + delta d",
                       "sum p1 a 200: delta b' + (p2->p1 a)", "p1->p0 a 200: (sum p1 a)",
                       "p1->p2 b 3 weights: G b"}));
}

/// a -> b -> c, a -> q, c + q -> d.
Profile projection_shortcut() {
  return profile_of(conv("a", 2, "input") + conv("b", 3, "a") + conv("c", 4, "b") +
                    conv("q", 4, "a") + join("s", "add", "c, q") + conv("d", 5, "s"));
}

TEST(ProjectionShortcut, PipeDream) {
  EXPECT_THAT(pipedream(projection_shortcut(), {0, 1, 1, 2, 3}),
              Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 c 400: FP c",
                       "p2->p3 q 400: FP q", "p3->p2 q 400: B3", "p2->p1 c 400: B2",
                       "p2->p1 a 200: B2", "p1->p0 a 200: B1"}));
}

/// The sum travels with q, the layer that feeds it last.
TEST(ProjectionShortcut, LayerPipe) {
  EXPECT_THAT(
      layerpipe(projection_shortcut(), {0, 1, 1, 2, 3}, {{"c", 0.5}, {"q", 0.25}}),
      Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 c 400: FP c",
               "p2->p3 q 400: FP q", "p3->p2 q 400: delta d", "p2->p1 c 400: (p3->p2 q)",
               "p2->p1 b 150 gradients: delta c''", "p2->p1 a 150: delta q'",
               "p3->p1 a 50: delta q''", "sum p1 a 200: delta b + (p2->p1 a) + (p3->p1 a)",
               "p1->p0 a 200: (sum p1 a)", "p1->p2 c 6 weights: G c", "p2->p3 q 2 weights: G q"}));
  EXPECT_THAT(layerpipe(projection_shortcut(), {0, 1, 1, 2, 2}, {{"c", 0.5}}),
              Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 c 400: FP c",
                       "p2->p1 c 400: delta d", "p2->p1 b 150 gradients: delta c''",
                       "p2->p1 a 200: delta q", "sum p1 a 200: delta b + (p2->p1 a)",
                       "p1->p0 a 200: (sum p1 a)", "p1->p2 c 6 weights: G c"}));
}

/// a -> b, (b, a) -> c: the layer and the join behind it use the same value.
Profile concatenation() {
  return profile_of(conv("a", 2, "input") + conv("b", 3, "a") + join("k", "concat", "b, a") +
                    conv("c", 4, "k"));
}

TEST(Concat, PipeDream) {
  EXPECT_THAT(pipedream(concatenation(), {0, 1, 2}),
              Tensors({"p0->p1 a 200: FP a", "p1->p2 b 500: FP b", "p2->p1 b 500: B2",
                       "p1->p0 a 200: B1"}));
}

TEST(Concat, LayerPipe) {
  EXPECT_THAT(layerpipe(concatenation(), {0, 1, 2}, {{"b", 0.5}}),
              Tensors({"p0->p1 a 200: FP a", "p1->p2 b 500: FP b", "p2->p1 b 500: delta c",
                       "p2->p1 a 100 gradients: delta b''",
                       "sum p1 a 200: delta b' + (p2->p1 b) + (p2->p1 a)",
                       "p1->p0 a 200: (sum p1 a)", "p1->p2 b 3 weights: G b"}));
}

/// a -> b -> c -> d, a + d -> e.
Profile long_skip() {
  return profile_of(conv("a", 2, "input") + conv("b", 3, "a") + conv("c", 3, "b") +
                    conv("d", 2, "c") + join("s", "add", "d, a") + conv("e", 4, "s"));
}

/// Straight from p0 to p3, and its gradient straight from p3 to p1, which adds up.
TEST(SkipOfThreeStages, PipeDream) {
  EXPECT_THAT(
      pipedream(long_skip(), {0, 1, 2, 3, 4}),
      Tensors({"p0->p1 a 200: FP a", "p0->p3 a 200: FP a", "p1->p2 b 300: FP b",
               "p2->p3 c 300: FP c", "p3->p4 d 200: FP d", "p4->p3 d 200: B4", "p3->p2 c 300: B3",
               "p2->p1 b 300: B2", "p3->p1 a 200: B3", "p1->p0 a 200: B1"}));
}

TEST(SkipOfThreeStages, LayerPipe) {
  EXPECT_THAT(layerpipe(long_skip(), {0, 1, 2, 3, 4}, {{"c", 0.5}}),
              Tensors({"p0->p1 a 200: FP a", "p0->p3 a 200: FP a", "p1->p2 b 300: FP b",
                       "p2->p3 c 300: FP c", "p3->p4 d 200: FP d", "p4->p3 d 200: delta e",
                       "p3->p2 c 300: delta d", "p2->p1 b 150: delta c'", "p3->p1 b 150: delta c''",
                       "p3->p1 a 200: (p4->p3 d)", "sum p1 a 200: delta b + (p3->p1 a)",
                       "p1->p0 a 200: (sum p1 a)", "p2->p3 c 4 weights: G c"}));
}

/// a -> b -> c, a + b + c -> d.
Profile two_skips() {
  return profile_of(conv("a", 2, "input") + conv("b", 2, "a") + conv("c", 2, "b") +
                    join("s", "add", "c, b, a") + conv("d", 5, "s"));
}

TEST(TwoSkipsIntoOneAdd, PipeDream) {
  EXPECT_THAT(pipedream(two_skips(), {0, 1, 2, 3}),
              Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 b 200: FP b",
                       "p2->p3 c 200: FP c", "p3->p2 c 200: B3", "p2->p1 b 200: B2",
                       "p2->p1 a 200: B2", "p1->p0 a 200: B1"}));
}

/// What p2 has of the gradient at a, the lent part's channels and the whole one of the skip, it
/// adds up before it sends.
TEST(TwoSkipsIntoOneAdd, LayerPipe) {
  EXPECT_THAT(
      layerpipe(two_skips(), {0, 1, 2, 3}, {{"b", 0.5}, {"c", 0.25}}),
      Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 b 200: FP b",
               "p2->p3 c 200: FP c", "p3->p2 c 200: delta d", "p3->p2 b 50 gradients: delta c''",
               "sum p2 b 200: delta c' + (p3->p2 c) + (p3->p2 b)", "p2->p1 b 200: (sum p2 b)",
               "p2->p1 a 200: delta b'' + (p3->p2 c)", "sum p1 a 200: delta b' + (p2->p1 a)",
               "p1->p0 a 200: (sum p1 a)", "p1->p2 b 2 weights: G b", "p2->p3 c 1 weights: G c"}));
}

/// a -> b -> c, and the concat behind b takes a from another layer e: three users of a on three
/// stages. The lent part of delta(b) is for the summing processor's own layer: it is additional,
/// and sent beside what p2 keeps of delta(c), not with it.
Profile three_users() {
  return profile_of(conv("a", 2, "input") + conv("b", 2, "a") + conv("c", 2, "a") +
                    join("s", "add", "c, b") + conv("d", 2, "a") + join("t", "add", "d, s") +
                    conv("e", 5, "t"));
}

TEST(SeveralUsers, SharesOfLentPartsAreSentByThemselves) {
  EXPECT_THAT(
      layerpipe(three_users(), {0, 1, 2, 3, 4}, {{"b", 0.5}, {"c", 0.25}}),
      Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p0->p3 a 200: FP a",
               "p1->p2 b 200: FP b", "p2->p3 c 200: FP c", "p3->p4 d 200: FP d",
               "p4->p3 d 200: delta e", "p3->p2 c 200: (p4->p3 d)", "p2->p1 b 200: (p3->p2 c)",
               "p2->p1 a 100 gradients: delta b''", "p2->p1 a 150: delta c'",
               "p3->p1 a 200: delta d + delta c''",
               "sum p1 a 200: delta b' + (p2->p1 a) + (p2->p1 a) + (p3->p1 a)",
               "p1->p0 a 200: (sum p1 a)", "p1->p2 b 2 weights: G b", "p2->p3 c 1 weights: G c"}));
}

/// All of delta(c) is lent to p3, which has no user of a itself: it sends a's gradient in p2's
/// place, and p2 sends what it has computed for b, although whole, as additional.
TEST(SeveralUsers, ALentWholeStandsInForItsLayer) {
  const Profile profile = profile_of(conv("a", 2, "input") + conv("b", 2, "a") + conv("c", 2, "a") +
                                     join("s", "add", "c, b") + conv("d", 3, "s"));
  EXPECT_THAT(layerpipe(profile, {0, 1, 2, 3}, {{"b", 1.0}, {"c", 1.0}}),
              Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 b 200: FP b",
                       "p2->p3 c 200: FP c", "p3->p2 c 200: delta d", "p2->p1 b 200: (p3->p2 c)",
                       "p2->p1 a 200 gradients: delta b", "p3->p1 a 200: delta c",
                       "sum p1 a 200: (p2->p1 a) + (p3->p1 a)", "p1->p0 a 200: (sum p1 a)",
                       "p1->p2 b 4 weights: G b", "p2->p3 c 4 weights: G c"}));
}

/// With the cycles that the parts take.
std::vector<std::string> parted(const Profile& profile, Allocation allocation) {
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    std::int64_t left = profile.layers[l].input_gradient_cycles;
    for (BorrowedPart& part : allocation.layers[l].borrowed) {
      part.cycles = std::min(left, (profile.layers[l].input_gradient_cycles + 1) / 2);
      left -= part.cycles;
    }
  }
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 8);
  check(schedule, profile);
  return tensors(schedule);
}

/// Layers a; b and c; d, and half of delta(c) on a processor between the last two. It is sent the
/// gradient at the sum, which the shortcut takes to a on the processor of c.
TEST(PartApart, BehindAShortcut) {
  EXPECT_THAT(
      parted(identity_shortcut(), {{{0}, {1}, {1, {{2, 0.5, 1}, {3, 0.5, 1}}}, {3}}}),
      Tensors({"p0->p1 a 200: FP a", "p1->p3 c 200: FP c", "p3->p1 c 200: delta d",
               "p3->p2 c 200 gradients: delta d", "p2->p1 b 150 gradients: delta c''",
               "p3->p1 b 150 gradients: delta c''", "sum p1 a 200: delta b + (p3->p1 c)",
               "p1->p0 a 200: (sum p1 a)", "p1->p2 c 3 weights: G c", "p1->p3 c 3 weights: G c"}));
}

/// a -> b -> c, c + b -> d: both users of b lie on p2, which adds up and sends the sum to p1 as
/// well.
TEST(PartApart, GetsTheSumOfItsUsers) {
  const Profile profile = profile_of(conv("a", 2, "input") + conv("b", 3, "a") + conv("c", 3, "b") +
                                     join("s", "add", "c, b") + conv("d", 5, "s"));
  EXPECT_THAT(parted(profile, {{{0}, {0, {{1, 0.5, 1}, {2, 0.5, 1}}}, {2}, {2}}}),
              Tensors({"p0->p2 b 300: FP b", "sum p2 b 300: delta c + delta d",
                       "p2->p0 b 300: (sum p2 b)", "p2->p1 b 300 gradients: (sum p2 b)",
                       "p1->p0 a 100 gradients: delta b''", "p2->p0 a 100 gradients: delta b''",
                       "p0->p1 b 3 weights: G b", "p0->p2 b 3 weights: G b"}));
}

/// Signs of the relu are not where its output is not: 1 byte for each of 300 elements. The pool's
/// places, 75, and the signs of what it has taken, 300, since its own output is not there either.
TEST(PartApart, GetsTheSignsOfRelus) {
  const Profile relu = profile_of(conv("a", 2, "input") + conv("b", 3, "a") +
                                  "  - {name: r, type: relu}\n" + conv("c", 3, "r"));
  EXPECT_THAT(parted(relu, {{{0}, {0, {{1, 0.5, 1}, {2, 0.5, 1}}}, {2}}}),
              testing::Contains("p0->p1 b 300 gradients: FP b"));
  const Profile pool =
      profile_of(conv("a", 2, "input") + conv("b", 3, "a") + "  - {name: r, type: relu}\n" +
                 "  - {name: p, type: maxpool2d, kernel_size: 2}\n" + conv("c", 3, "p"));
  EXPECT_THAT(
      parted(pool, {{{0}, {0, {{1, 0.5, 1}, {2, 0.5, 1}}}, {2}}}),
      testing::IsSupersetOf({"p0->p1 b 375 gradients: FP b", "p0->p2 b 75 gradients: FP b"}));
}

/// a -> b, a -> c, b + c -> d.
Profile fork() {
  return profile_of(conv("a", 2, "input") + conv("b", 3, "a") + conv("c", 3, "a") +
                    join("s", "add", "b, c") + conv("d", 5, "s"));
}

TEST(ForkAtAStageBoundary, PipeDream) {
  EXPECT_THAT(pipedream(fork(), {0, 1, 1, 1}), Tensors({"p0->p1 a 200: FP a", "p1->p0 a 200: B1"}));
}

TEST(ForkAtAStageBoundary, LayerPipe) {
  EXPECT_THAT(layerpipe(fork(), {0, 1, 1, 1}),
              Tensors({"p0->p1 a 200: FP a", "sum p1 a 200: delta b + delta c",
                       "p1->p0 a 200: (sum p1 a)"}));
  EXPECT_THAT(layerpipe(fork(), {0, 1, 2, 2}, {{"b", 0.5}}),
              Tensors({"p0->p1 a 200: FP a", "p0->p2 a 200: FP a", "p1->p2 b 300: FP b",
                       "p2->p1 b 300: delta d", "p2->p1 a 200: delta b'' + delta c",
                       "sum p1 a 200: delta b' + (p2->p1 a)", "p1->p0 a 200: (sum p1 a)",
                       "p1->p2 b 3 weights: G b"}));
}

/// An encoder's relu goes to the decoder, its pooled half to the next layer. The pool is the first
/// user of the relu, so that layer a's own processor adds up the gradient there.
TEST(SkipFromTheMiddleOfAGroup, GoesToTheLayersOwnProcessor) {
  const Profile profile = profile_of(
      conv("a", 2, "input") + "  - {name: r, type: relu}\n" +
      "  - {name: p, type: maxpool2d, kernel_size: 2}\n" + conv("b", 3, "p") +
      "  - {name: t, type: conv_transpose2d, out_channels: 2, kernel_size: 2, stride: 2}\n" +
      join("k", "concat", "t, r") + conv("d", 5, "k"));
  EXPECT_FALSE(profile.layers[0].borrower);
  EXPECT_THAT(
      pipedream(profile, {0, 1, 2, 3}),
      Tensors({"p0->p2 a 200: FP a", "p0->p1 a 50: FP a", "p1->p2 b 75: FP b", "p2->p3 t 400: FP t",
               "p3->p2 t 400: B3", "p2->p1 b 75: B2", "p1->p0 a 50: B1", "p2->p0 a 200: B2"}));
  EXPECT_THAT(
      layerpipe(profile, {0, 1, 2, 3}),
      Tensors({"p0->p2 a 200: FP a", "p0->p1 a 50: FP a", "p1->p2 b 75: FP b", "p2->p3 t 400: FP t",
               "p3->p2 t 400: delta d", "p2->p1 b 75: delta t", "p1->p0 a 50: delta b",
               "p2->p0 a 200: (p3->p2 t)", "sum p0 a 250: (p2->p0 a) + (p1->p0 a)"}));
}

}  // namespace
}  // namespace layerpipe::tests
