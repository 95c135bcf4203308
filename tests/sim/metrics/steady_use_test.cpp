#include "sim/metrics/steady_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/metrics/per_minibatch.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::TensorClass;
using testing::ElementsAre;

/// Processor 0 sends a tensor of 100 bytes and one of 10 bytes to processor 1.
contract::Schedule sender_and_receiver() {
  contract::Schedule schedule;
  for (const std::size_t p : {0U, 1U}) {
    schedule.ops.push_back({{{costs::OpKind::forward, p, 1.0, 10}}, p});
  }
  schedule.orders.resize(2);
  schedule.tensors.push_back({{0}, 0, 1, 100, TensorClass::mandatory, 0});
  schedule.tensors.push_back({{0}, 0, 1, 10, TensorClass::additional_weights, 0});
  schedule.edges.push_back({0, 1, 0, contract::InputKind::activation, 0});
  schedule.edges.push_back({0, 1, 2, contract::InputKind::weights, 1});
  schedule.updates = {1};
  return schedule;
}

Channels one_channel() { return {{{0, 1, {{0}, 0.0}, false}}, {0, 0}}; }

/// A minibatch ends every 100 cycles; its two transfers take 50 cycles each at first, and 30 from
/// the fourth on. The state is the same from the fourth on. Without a period, all of it counts:
/// 3 x 100 + 5 x 60 cycles of the channel in 800.
TEST(SteadyUse, IsOfAnExactPeriodOrOfAll) {
  for (const bool is_exact : {true, false}) {
    const contract::Schedule schedule = sender_and_receiver();
    const Channels channels = one_channel();
    SteadyStateDetector steady(schedule, 100);
    PerMinibatch counts(schedule, channels, 100, steady);
    SteadyUse use(schedule, channels, steady);
    const auto tell = [&](const Event& event) {
      steady.record(event);
      use.record(event);
    };
    for (std::int64_t m = 0; m < 8; ++m) {
      const std::int64_t date = 100 * m;
      const std::int64_t cycles = m < 3 ? 50 : 30;
      EXPECT_EQ(counts.has_enough(m), is_exact && m > 6) << m;
      for (const std::size_t tensor : {0U, 1U}) {
        tell({EventKind::transfer_queued, date, tensor, m, date});
        tell({EventKind::transfer_started, date, tensor, m, date});
        tell({EventKind::transfer_ended, date + cycles, tensor, m, date});
      }
      for (const std::size_t op : {0U, 1U}) {
        tell({EventKind::operation_started, date + 90, op, m});
        tell({EventKind::operation_ended, date + 100, op, m});
      }
      const double left = is_exact && m >= 4 ? 4.0 : static_cast<double>(m);
      for (EventSink* sink : {static_cast<EventSink*>(&steady), static_cast<EventSink*>(&use)}) {
        sink->date_over(date + 101, [&] { return std::vector{left}; });
      }
    }
    const MeasuredUse seen = use.use(800);
    EXPECT_DOUBLE_EQ(seen.cycles, is_exact ? 100.0 : 800.0);
    EXPECT_THAT(seen.channel_cycles, ElementsAre(is_exact ? 60 : 600));
    EXPECT_THAT(seen.channel_bytes, ElementsAre(is_exact ? 110 : 880));
    EXPECT_THAT(seen.processor_cycles, is_exact ? ElementsAre(10, 10) : ElementsAre(80, 80));
  }
}

TEST(BusyFraction, IsNeverCapped) {
  EXPECT_DOUBLE_EQ(busy_fraction(50.0, 200.0, "processor p0"), 0.25);
  EXPECT_DOUBLE_EQ(busy_fraction(200.0, 200.0, "processor p0"), 1.0);
  try {
    static_cast<void>(busy_fraction(24'000.0, 20'200.0, "link l"));
    FAIL() << "a link carries more than it can";
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(),
                 "link l is busy for 24000.0 of 20200.0 cycles, which is more than it can");
  }
}

}  // namespace
}  // namespace layerpipe::metrics
