#include "scheduler/memory/gradients_within.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/test_profile.hpp"

namespace layerpipe::memory {
namespace {

using namespace contract;
using namespace costs;

/// The whole backward pass of layers first..last (both included).
Op backward(const Profile& profile, std::size_t first, std::size_t last) {
  Op op;
  for (std::size_t l = last + 1; l-- > first;) {
    if (profile.layers[l].has_input_gradient) {
      op.parts.push_back({OpKind::input_gradient, l, 1.0, 1});
    }
    op.parts.push_back({OpKind::weight_gradient, l, 1.0, 1});
  }
  return op;
}

std::int64_t bytes(const Profile& profile, std::size_t first, std::size_t last) {
  return GradientsWithin(profile).bytes(backward(profile, first, last));
}

/// Gradients of 100, 20 and 3 bytes behind layers 1, 2 and 3 of four.
Profile chain() {
  return tests::test_profile(
      {{1, 1, 1, 100, 0}, {1, 1, 1, 20, 0}, {1, 1, 1, 3, 0}, {1, 1, 1, 0, 0}});
}

// By hand, what there is when each part has ended. delta4: 3; G4: 3; delta3: 3 + 20; G3: 20;
// delta2: 20 + 100; G2: 100; then the operation's last, G1.
TEST(GradientsWithin, AreThoseOnBothSidesOfALayer) { EXPECT_EQ(bytes(chain(), 0, 3), 120); }

// The gradient at a(2) is another stage's, and kept until this one's has ended; the one at a(4)
// came from elsewhere. delta4: 3; G4: 3; delta3: 3 + 20; the operation's last is G3.
TEST(GradientsWithin, OfWhatIsHandedOverCountUntilTheEnd) {
  EXPECT_EQ(bytes(chain(), 2, 3), 23);
  EXPECT_EQ(bytes(chain(), 3, 3), 3);
}

TEST(GradientsWithin, OnePartHasNone) {
  const Profile profile = chain();
  EXPECT_EQ(bytes(profile, 0, 0), 0);
  EXPECT_EQ(GradientsWithin(profile).bytes({{{OpKind::input_gradient, 3, 1.0, 1}}, 0}), 0);
}

// A fork: layers 2 and 3 take a(1), 100 bytes, and layer 4 takes a(2) and a(3). delta4: 20 + 3;
// delta3: 23 + 100; G3: 120; delta2: the sum at a(1) of both contributions, 20 + 100; G2: 100.
TEST(GradientsWithin, ContributionsAreAddedUp) {
  Profile profile = chain();
  profile.values[0].uses = {{1}, {2}};
  profile.values[1].uses = {{3}};
  EXPECT_EQ(bytes(profile, 0, 3), 123);
}

// a(1) skips over layer 2 into an add in its group: what passes through it is the gradient at a(2),
// which layer 2 needs until G2 has ended. delta3, G3: 20; delta2: 20 + 100 of the GEMM; G2: the
// contribution of the add comes in, and the sum is 100.
TEST(GradientsWithin, WhatPassesThroughIsContributedWhenTheGroupHasEnded) {
  Profile profile = tests::test_profile({{1, 1, 1, 100, 0}, {1, 1, 1, 20, 0}, {1, 1, 1, 0, 0}});
  profile.values[0].uses[0].by_others = true;
  EXPECT_EQ(bytes(profile, 0, 2), 120);
}

}  // namespace
}  // namespace layerpipe::memory
