// What is checked of a platform before SimGrid loads it.

#include "platforms/file/platform_file.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(layerpipe::file::check_platform(text, "machine.xml"));
  } catch (const layerpipe::InputError& error) {
    layerpipe::tests::check_refusal(error, "machine.xml");
  } catch (const layerpipe::InfeasibleError& error) {
    layerpipe::tests::check_refusal(error, "machine.xml");
  }
  return 0;
}
