// The reader of workloads: a network, or a refusal.

#include "tests/fuzz/target.hpp"
#include "workloads/read/read_network.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(layerpipe::read::parse_network(text, "net.yaml"));
  } catch (const layerpipe::InputError& error) {
    layerpipe::tests::check_refusal(error, "net.yaml");
  }
  return 0;
}
