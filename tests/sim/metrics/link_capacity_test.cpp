#include "sim/metrics/link_capacity.hpp"

#include <gtest/gtest.h>

#include <string>

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::TensorClass;

/// Processors 0 and 1 send 1000 bytes each to processor 2, over a common link of 1 byte a cycle and
/// a latency of 5 cycles.
struct TwoOverOneLink {
  machine::Machine machine;
  contract::Schedule schedule;
  Channels channels;

  TwoOverOneLink() {
    machine.clock_hertz = 1e9;
    machine.links = {{"common", 1e9, true, 5e-9}};
    for (const std::size_t p : {0U, 1U}) {
      schedule.tensors.push_back({{p}, p, 2, 1000, TensorClass::mandatory, 0});
      channels.channels.push_back({p, 2, {{0}, 5e-9}, true});
      channels.of_tensor.push_back(p);
    }
  }
};

/// Both transfers from 100 on, the second one until `end`; what is said against it.
std::string complaint(const TwoOverOneLink& net, std::int64_t end) {
  LinkCapacity capacity(net.machine, net.schedule, net.channels);
  try {
    for (const std::size_t tensor : {0U, 1U}) {
      capacity.record({EventKind::transfer_started, 100, tensor, 0, 100});
    }
    capacity.record({EventKind::transfer_ended, 1500, 0, 0, 100});
    capacity.record({EventKind::transfer_ended, end, 1, 0, 100});
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

/// 2000 bytes need 2000 cycles from 105 on, less a cycle for what dates are rounded by.
TEST(LinkCapacity, NoLinkCarriesMoreThanItCan) {
  TwoOverOneLink net;
  EXPECT_EQ(complaint(net, 2105), "");
  EXPECT_EQ(complaint(net, 2104), "");
  EXPECT_EQ(complaint(net, 2103),
            "link 'common' has carried 2000 bytes from cycle 105.0 to 2103, at 1 bytes a cycle");
  net.machine.links[0].shared = false;
  EXPECT_EQ(complaint(net, 1500), "");
}

/// Between two transfers that follow each other the link rests: the first one's time does not count
/// for the second.
TEST(LinkCapacity, EachStretchCountsForItself) {
  const TwoOverOneLink net;
  LinkCapacity capacity(net.machine, net.schedule, net.channels);
  capacity.record({EventKind::transfer_started, 0, 0, 0, 0});
  capacity.record({EventKind::transfer_ended, 5000, 0, 0, 0});
  capacity.record({EventKind::transfer_started, 6000, 1, 0, 6000});
  EXPECT_THROW(capacity.record({EventKind::transfer_ended, 6500, 1, 0, 6000}), InternalError);
}

}  // namespace
}  // namespace layerpipe::metrics
