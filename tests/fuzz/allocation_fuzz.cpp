// The reader of allocations, for three layers on three processors.

#include "scheduler/placement/read_allocation.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto machine = layerpipe::tests::test_machine(3);
  static const auto profile =
      layerpipe::tests::test_profile({{10, 0, 10}, {10, 101, 10}, {10, 101, 10}});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(
        layerpipe::placement::parse_allocation(text, "placed.json", profile, machine));
  } catch (const layerpipe::InputError& error) {
    layerpipe::tests::check_refusal(error, "placed.json");
  }
  return 0;
}
