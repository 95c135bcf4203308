#include "scheduler/placement/read_allocation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/given_scheduler.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "tests/support/allocation_text.hpp"
#include "tests/support/borrowed_cycles.hpp"
#include "tests/support/divisible_profile.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace placement;
using namespace scheduler;
using testing::ThrowsMessage;

/// The same on 4 x 4 arrays: input gradients of 10 channels, three column folds of 20 cycles, and 2
/// samples. 2 x 4 + 4 + 10 - 2 = 20.
Profile four_divisible_layers() {
  Profile profile = test_profile({{10, 0, 10}, {10, 60, 10}, {10, 60, 10}, {10, 60, 10}});
  for (LayerProfile& layer : profile.layers) {
    layer.input_gradient_gemms = array::InputGradientGemms{
        .size = {4, 4}, .gemm = {10, 4, 10}, .groups = 1, .group_channels = 10, .samples = 2};
  }
  return profile;
}

// 0.25 of 101 cycles is 25.25: rounded down. The fraction becomes that of whole cycles.
TEST(ReadAllocation, GivesPlacementAndWholeLentCycles) {
  const GivenAllocation given = parse(edited({}));
  EXPECT_EQ(given.order, OrderOf::layerpipe);
  EXPECT_EQ(given.allocation.split, Split::ideal);
  EXPECT_EQ(processors(given.allocation), (std::vector<ProcessorId>{0, 0, 1, 2}));
  EXPECT_EQ(borrowed_cycles(given.allocation.layers[1]), 25);
  EXPECT_EQ(borrowed_fraction(given.allocation.layers[1]), 25.0 / 101.0);
  EXPECT_EQ(borrowed_fraction(given.allocation.layers[2]), 0.0);
}

TEST(ReadAllocation, LendsNothingWhereThatIsLessThanACycle) {
  const GivenAllocation given = parse(edited({{6, "0.75", "0.991"}, {9, "0.25", "0.009"}}));
  EXPECT_EQ(borrowed_fraction(given.allocation.layers[1]), 0.0);
  EXPECT_EQ(borrowed_cycles(given.allocation.layers[1]), 0);
}

TEST(ReadAllocation, LendsAllOfAnInputGradient) {
  const GivenAllocation given = parse(edited({without(6), {9, "0.25", "1.0"}}));
  EXPECT_EQ(borrowed_fraction(given.allocation.layers[1]), 1.0);
  EXPECT_EQ(borrowed_cycles(given.allocation.layers[1]), 101);
}

// 4 of 10 channels are one column fold of three; 1 of 2 samples is 3 folds of 2 x 4 + 4 + 5 - 2.
TEST(ReadAllocation, CostsWholeChannelsAndSamples) {
  const Profile profile = four_divisible_layers();
  const auto lent = [&](const std::string& split, const std::string& kept,
                        const std::string& fraction) {
    const auto given =
        parse(edited({{1, "ideal", split}, {6, "0.75", kept}, {9, "0.25", fraction}}), profile);
    return given.allocation.layers[1];
  };
  EXPECT_EQ(borrowed_cycles(lent("channels", "0.6", "0.4")), 20);
  EXPECT_EQ(borrowed_fraction(lent("channels", "0.6", "0.4")), 0.4);
  EXPECT_EQ(borrowed_cycles(lent("batch", "0.5", "0.5")), 45);
  // Within 1e-9 of 4 channels: these are 4.
  EXPECT_EQ(borrowed_fraction(lent("channels", "0.6", "0.4000000003")), 0.4);
}

TEST(ReadAllocation, RefusesFractionsThatAreNotWholeUnits) {
  const Profile profile = four_divisible_layers();
  expect_refused({{1, "ideal", "channels"}}, {9, "0.25"},
                 "fraction 0.25 of the 10 channels of 'layer2' is not a whole number of them "
                 "(nearest: 0.2 for 2 or 0.3 for 3)",
                 profile);
  expect_refused({{1, "ideal", "batch"}}, {9, "0.25"},
                 "fraction 0.25 of the 2 samples of 'layer2' is not a whole number of them "
                 "(nearest: 0.5 for 1)",
                 profile);
  expect_refused(
      {{1, "ideal", "channels"}, {6, "0.75", "0.5999999992"}, {9, "0.25", "0.4000000008"}},
      {9, "0.4000000008"},
      "fraction 0.4000000008 of the 10 channels of 'layer2' is not a whole number "
      "of them (nearest: 0.4 for 4 or 0.5 for 5)",
      profile);
}

TEST(ReadAllocation, KnowsItsSchedules) {
  EXPECT_EQ(parse(edited({{1, "layerpipe", "layerpipe-optimal"}})).order, OrderOf::layerpipe);
  const std::vector<Edit> whole{{1, "layerpipe", "pipedream"}, {6, "0.75", "1"}, without(9)};
  EXPECT_EQ(parse(edited(whole)).order, OrderOf::pipedream);
  expect_refused({{1, "layerpipe", "layrpipe"}}, {1, "\"layrpipe"},
                 "unknown schedule 'layrpipe' (nearest: layerpipe)");
  expect_refused(
      {{1, "layerpipe", "gpipe"}}, {1, "\"gpipe"},
      "unknown schedule 'gpipe' (expected layerpipe, layerpipe-strict, layerpipe-optimal or "
      "pipedream)");
}

TEST(ReadAllocation, PipeDreamLendsNothing) {
  expect_refused({{1, "layerpipe", "pipedream"}}, {9, "{"},
                 "input_gradient of 'layer2' is on 'p1', but pipedream lends nothing "
                 "(expected 'p0', where its forward is)");
}

TEST(ReadAllocation, KnowsItsSplits) {
  expect_refused({{1, "ideal", "chanels"}}, {1, "\"chanels"},
                 "unknown split 'chanels' (nearest: channels)");
  expect_refused({{1, "ideal", "batch"}}, {1, "\"batch"},
                 "layer layer1: measured costs are known for the whole layer, not for parts "
                 "of it by batch (expected --split ideal)");
  const std::vector<Edit> whole{
      {1, "layerpipe", "pipedream"}, {1, "ideal", "batch"}, {6, "0.75", "1"}, without(9)};
  EXPECT_EQ(parse(edited(whole)).allocation.split, Split::batch);
}

TEST(ReadAllocation, IdleProcessorsMayBeMissingOrUnknown) {
  EXPECT_NO_THROW((void)parse(edited({}), four_layers(), 3));
  EXPECT_NO_THROW((void)parse(edited({{17, "p3", "elsewhere"}})));
  EXPECT_NO_THROW((void)parse(edited({}), four_layers(), 9));
  expect_refused({}, {13, "\"p2"}, "unknown processor 'p2' (nearest: p0)", four_layers(), 2);
}

TEST(ReadAllocation, TellsProcessorsThatAreNotUsedFromUnknownOnes) {
  const machine::Machine three = first_processors(test_machine(4), 3);
  const auto refusal = [&](const std::string& processor) {
    const std::string text = edited({{13, "p2", processor}, {17, "p3", "p2"}});
    return [text, three] { (void)parse_allocation(text, "f", four_layers(), three); };
  };
  EXPECT_THAT(refusal("p3"), testing::ThrowsMessage<InputError>(testing::EndsWith(
                                 ": processor 'p3' is not used (expected one of the first 3 of the "
                                 "platform)")));
  EXPECT_THAT(refusal("p4"), testing::ThrowsMessage<InputError>(
                                 testing::EndsWith(": unknown processor 'p4' (nearest: p0)")));
}

Delays parsed_delays(const std::string& delays) {
  return parse(edited({{1, "\"ideal\"", "\"ideal\", \"delays\": " + delays}})).allocation.delays;
}

// As `schedule` writes them: a rule, the numbers, or null where the schedule has its own.
TEST(ReadAllocation, ReadsDelays) {
  EXPECT_EQ(parse(edited({})).allocation.delays, Delays(DelayRule::twice_stages_after));
  EXPECT_EQ(parsed_delays("null"), Delays(DelayRule::twice_stages_after));
  EXPECT_EQ(parsed_delays("\"2S\""), Delays(DelayRule::twice_stages_after));
  EXPECT_EQ(parsed_delays("\"S\""), Delays(DelayRule::stages_after));
  EXPECT_EQ(parsed_delays("[3, 1e0, 1000000000, 0]"), Delays(Staleness{3, 1, 1'000'000'000, 0}));
}

TEST(ReadAllocation, RefusesDelaysThatAreNone) {
  const auto refused = [](const std::string& delays, const std::string& at,
                          const std::string& message) {
    expect_refused({{1, "\"ideal\"", "\"ideal\", \"delays\": " + delays}}, {1, at}, message);
  };
  refused("\"auto\"", "\"auto", "unknown rule of delays 'auto' (expected 2S or S)");
  refused("7", "7", "delays is a number (expected a list)");
  refused("[1, 1, 0]", "[1,", "delays of 3 layers (expected 4, one for each with weights)");
  refused("[1, -1, 0, 0]", "-1",
          "staleness is -1 (expected a whole number from 0 to 1,000,000,000)");
  refused("[1, 1.5, 0, 0]", "1.5",
          "staleness is 1.5 (expected a whole number from 0 to 1,000,000,000)");
  refused("[1, 1e10, 0, 0]", "1e10",
          "staleness is 10000000000 (expected a whole number from 0 to 1,000,000,000)");
  refused("[1, null, 0, 0]", "null", "delays is null (expected a number)");
}

// Layers of PipeDream lend nothing.
TEST(ReadAllocation, RefusesDelaysOfPipeDream) {
  expect_refused({{1, "layerpipe", "pipedream"}, {1, "\"ideal\"", "\"ideal\", \"delays\": \"S\""}},
                 {1, "\"S\""}, "delays of pipedream are its own (expected null)");
}

TEST(ReadAllocation, RefusesWhatIsMissing) {
  expect_refused({without(5)}, {1, "[ "},
                 "no forward of 'layer2' (expected on one of the processors)");
  expect_refused({{11, "},", "}]},"}, without(12)}, {1, "[ "},
                 "no weight_gradient of 'layer3' (expected on one of the processors)");
  expect_refused({without(6), without(9)}, {1, "[ "},
                 "no input_gradient of 'layer2' (expected on one of the processors)");
}

TEST(ReadAllocation, RefusesAnInputGradientThatNobodyNeeds) {
  const std::string unneeded = entry("input_gradient", "layer1");
  expect_refused({before(4, unneeded)}, {4, unneeded},
                 "unexpected input_gradient of 'layer1' (expected none, since nothing before the "
                 "layer needs it)");
  Profile profile = four_layers();
  profile.layers[0].has_input_gradient = true;
  expect_refused({}, {1, "[ "}, "no input_gradient of 'layer1' (expected on one of the processors)",
                 profile);
}

TEST(ReadAllocation, RefusesStagesThatAreOutOfOrder) {
  expect_refused({{2, "p0", "p1"}, {8, "p1", "p0"}}, {3, "{"},
                 "forward of 'layer1' is on 'p1' (expected 'p0', the first one)");
  // A processor is left out,
  expect_refused({{8, "p1", "p3"}, {17, "p3", "p1"}}, {10, "{"},
                 "forward of 'layer3' is on 'p3' (expected 'p0', where 'layer2' is, or 'p1', the "
                 "one after it)");
  // layers are in the wrong order (p1 has a part of layer 2: layer 3 may lie behind that),
  expect_refused({{10, "layer3", "layer4"}, {14, "layer4", "layer3"}}, {10, "{"},
                 "forward of 'layer4' is on 'p1' (expected 'p2', where 'layer3' is, or 'p3', the "
                 "one after it)");
  // or one of them is before the others of its processor.
  expect_refused({{5, "layer2", "layer4"}, {14, "layer4", "layer2"}}, {14, "{"},
                 "forward of 'layer2' is on 'p2' (expected 'p0', where 'layer1' is, or 'p1', the "
                 "one after it)");
  expect_refused({{3, "layer1", "layer4"}, {14, "layer4", "layer1"}}, {14, "{"},
                 "forward of 'layer1' is on 'p2' (expected 'p0', the first one)");
}

// Layer 3 is on the last of two processors.
TEST(ReadAllocation, OffersNoProcessorThatIsNotThere) {
  const std::string moved = entry("forward", "layer4");
  expect_refused({without(13), {12, "]},", ","}, {14, moved + ",", ""}, {4, "{", moved + ", {"}},
                 {4, moved}, "forward of 'layer4' is on 'p0' (expected 'p1', where 'layer3' is)",
                 four_layers(), 2);
}

TEST(ReadAllocation, KeepsALayerOnOneProcessor) {
  expect_refused({{7, "layer2", "layer3"}, {12, "layer3", "layer2"}}, {12, "{"},
                 "weight_gradient of 'layer2' is on 'p1' (expected 'p0', where its forward is)");
}

TEST(ReadAllocation, LendsToTheProcessorOfTheNextLayerOnly) {
  const std::string part = entry("input_gradient", "layer2", "0.25");
  expect_refused({without(9), before(15, part)}, {15, part},
                 "input_gradient of 'layer2' is on 'p2' (expected 'p0', where its forward is, or "
                 "'p1', where the next layer is)");
  const std::string back = entry("input_gradient", "layer3");
  expect_refused({without(11), before(5, back)}, {5, back},
                 "input_gradient of 'layer3' is on 'p0' (expected 'p1', where its forward is, or "
                 "'p2', where the next layer is)");
  const std::string within = entry("input_gradient", "layer1", "1");
  Profile profile = four_layers();
  profile.layers[0].has_input_gradient = true;
  profile.layers[0].input_gradient_cycles = 5;
  expect_refused({before(9, within)}, {9, within},
                 "input_gradient of 'layer1' is on 'p1', but cannot be lent: it is the first layer "
                 "(expected 'p0', where its forward is)",
                 profile);
}

// Layers 2 and 3 are both on p0.
TEST(ReadAllocation, LendsNothingToAnotherProcessorThanThatOfTheNextLayer) {
  const std::string part = entry("input_gradient", "layer2", "0.25");
  expect_refused({{7, "]},", ","}, without(8), without(9), {13, "p2", "p1"}, before(15, part)},
                 {15, part},
                 "input_gradient of 'layer2' is on 'p1' (expected 'p0', where its forward is)");
}

/// Layers 1 and 2 on p0, layers 3 and 4 on p2; of delta(2) lie three quarters on p1.
std::vector<Edit> parted() {
  return {without(6),
          {9, "0.25},",
           "0.75}]}, {\"name\": \"p2\", \"operations\": [" +
               entry("input_gradient", "layer2", "0.25") + ","},
          {12, "]},", ","},
          without(13)};
}

// A quarter of 101 cycles is 25; the others are on p1, since nothing stays on p0.
TEST(ReadAllocation, PlacesPartsOnProcessorsWithoutLayers) {
  const Allocation allocation = parse(edited(parted())).allocation;
  EXPECT_EQ(processors(allocation), (std::vector<ProcessorId>{0, 0, 2, 2}));
  const std::vector<BorrowedPart>& parts = allocation.layers[1].borrowed;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].processor, 1U);
  EXPECT_EQ(parts[0].cycles, 76);
  EXPECT_EQ(parts[1].processor, 2U);
  EXPECT_EQ(parts[1].cycles, 25);
}

TEST(ReadAllocation, LendsOnlyWhatCanBeLent) {
  const std::string last = entry("input_gradient", "layer4");
  expect_refused({without(15), before(11, last)}, {11, last},
                 "input_gradient of 'layer4' is on 'p1', but cannot be lent: it is the last layer "
                 "(expected 'p2', where its forward is)");
  Profile profile = four_layers();
  profile.layers[1].borrower = 3;
  expect_refused({}, {9, "{"},
                 "input_gradient of 'layer2' is on 'p1', but the gradient at its output is added "
                 "up on 'p2', with 'layer4' (expected 'p0', where its forward is)",
                 profile);
  profile.layers[1].borrower = std::nullopt;
  expect_refused({}, {9, "{"},
                 "input_gradient of 'layer2' is on 'p1', but cannot be lent: the gradient at its "
                 "output is not added up in one place elsewhere (expected 'p0', where its forward "
                 "is)",
                 profile);
  profile = four_layers();
  profile.layers[1].input_gradient_cycles = 0;
  expect_refused({}, {9, "{"},
                 "input_gradient of 'layer2' is on 'p1', but cannot be lent: it takes no cycles "
                 "(expected 'p0', where its forward is)",
                 profile);
}

TEST(ReadAllocation, ReadsTheExampleOfItsPage) {
  std::ifstream stream(LAYERPIPE_SOURCE_DIR "/docs/formats/schedule.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t begin = page.find("```json\n") + 8;
  Profile profile = test_profile({{1, 0, 1}, {1, 100, 1}, {1, 1, 1}});
  for (std::size_t l = 0; l < 3; ++l) profile.layers[l].name = fmt::format("a{}", l + 1);
  const Allocation allocation =
      parse(page.substr(begin, page.find("```", begin) - begin), profile).allocation;
  EXPECT_EQ(processors(allocation), (std::vector<ProcessorId>{0, 0, 1}));
  EXPECT_EQ(borrowed_cycles(allocation.layers[1]), 25);
}

TEST(ReadAllocation, ReadsFiles) {
  EXPECT_THAT([] { (void)read_allocation("/no/such", four_layers(), test_machine(4)); },
              ThrowsMessage<InputError>("/no/such: cannot be read: No such file or directory "
                                        "(expected a readable file)"));
  EXPECT_THAT([] { (void)read_allocation("/tmp", four_layers(), test_machine(4)); },
              ThrowsMessage<InputError>("/tmp: is a directory (expected a file)"));
}

/// What `schedule` places where, in the form that it is read in.
std::string written(const Schedule& schedule) {
  std::vector<std::string> operations(schedule.orders.size());
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      std::string& list = operations[op.processor];
      list += fmt::format(R"({}{{"operation": "{}", "layer": "{}", "fraction": {}}})",
                          list.empty() ? "" : ",\n", to_string(part.kind),
                          schedule.layer_names[part.layer], part.fraction);
    }
  }
  std::string list;
  for (std::size_t p = 0; p < operations.size(); ++p) {
    list += fmt::format("{}{{\"name\": \"p{}\", \"operations\": [\n{}]}}", p == 0 ? "" : ",\n", p,
                        operations[p]);
  }
  return fmt::format(R"({{"schedule": "{}", "options": {{"split": "{}"}}, "processors": [{}]}})",
                     schedule.name, to_string(schedule.split), list);
}

constexpr std::array all_splits{Split::ideal, Split::channels, Split::batch};

// Digits that give back a double give back the units that it stands for.
TEST(ReadAllocation, ReadsBackWhatPartitionersPlace) {
  const machine::Machine machine = test_machine(5);
  int lent = 0;
  int apart = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Profile profile = divisible_profile(5, 12, seed);
    for (const Split split : all_splits) {
      SchedulerOptions options;
      options.split = split;
      const Plan plan = find_scheduler("layerpipe").plan(profile, machine, options);
      const auto given = parse_allocation(written(plan.schedule), "f", profile, machine);
      const Allocation expected = layerpipe_partition(profile, 5, options).allocation;
      for (std::size_t l = 0; l < profile.layers.size(); ++l) {
        const Placement& placement = given.allocation.layers[l];
        ASSERT_EQ(placement.processor, expected.layers[l].processor);
        ASSERT_EQ(borrowed_fraction(placement), borrowed_fraction(expected.layers[l]));
        ASSERT_EQ(borrowed_cycles(placement), borrowed_cycles(expected.layers[l]));
        if (borrowed_fraction(placement) > 0.0) ++lent;
        if (placement.borrowed.size() > 1) ++apart;
        for (std::size_t i = 0; i < placement.borrowed.size(); ++i) {
          const BorrowedPart& part = placement.borrowed[i];
          ASSERT_EQ(part.processor, expected.layers[l].borrowed[i].processor);
          ASSERT_EQ(part.fraction, expected.layers[l].borrowed[i].fraction);
          ASSERT_EQ(part.cycles, expected.layers[l].borrowed[i].cycles);
        }
      }
    }
  }
  EXPECT_GT(lent, 100);
  EXPECT_GT(apart, 10);
}

// What is accepted, however it came about, is a schedule without fault.
TEST(ReadAllocation, RefusesOrSchedulesWhateverIsChanged) {
  const machine::Machine machine = test_machine(4);
  std::mt19937_64 random(7);
  int accepted = 0;
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Profile profile = divisible_profile(5, 12, seed);
    SchedulerOptions options;
    options.split = all_splits[seed % all_splits.size()];
    const Plan plan = find_scheduler("layerpipe").plan(profile, machine, options);
    const std::string text = written(plan.schedule);
    for (int i = 0; i < 10; ++i) {
      std::string changed = text;
      const std::size_t at = text.find_first_of("0123456789p", random() % (text.size() - 200));
      changed[at] = static_cast<char>('0' + random() % 10);
      try {
        const Scheduler scheduler = scheduler_of(parse_allocation(changed, "f", profile, machine));
        check(scheduler.plan(profile, machine, {}).schedule, profile);
        ++accepted;
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace layerpipe::tests
