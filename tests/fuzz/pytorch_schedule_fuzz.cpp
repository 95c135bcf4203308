// The reader of PyTorch's schedules. What it takes it writes, and takes again.

#include <cstdlib>

#include "scheduler/discipline/pytorch_schedule.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace layerpipe::discipline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const PytorchSchedule read = parse_pytorch_schedule(text, "plan.csv");
    const PytorchSchedule again = parse_pytorch_schedule(pytorch_csv(read.program), "again.csv");
    if (again.program != read.program || again.rank_of_stage != read.rank_of_stage) std::abort();
  } catch (const layerpipe::InputError& error) {
    layerpipe::tests::check_refusal(error, "plan.csv");
  }
  return 0;
}
