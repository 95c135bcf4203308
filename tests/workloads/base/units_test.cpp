#include "workloads/base/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/base/error.hpp"

namespace layerpipe::base {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kibi = 1024;

TEST(ParseBytes, KnowsDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("12 B"), 12);
  EXPECT_EQ(parse_bytes("3 kB"), 3'000);
  EXPECT_EQ(parse_bytes("4 MB"), 4'000'000);
  EXPECT_EQ(parse_bytes("5GB"), 5'000'000'000);
  EXPECT_EQ(parse_bytes("2 TB"), 2'000'000'000'000);
  EXPECT_EQ(parse_bytes("1 KiB"), kibi);
  EXPECT_EQ(parse_bytes("1MiB"), kibi * kibi);
  EXPECT_EQ(parse_bytes("3 GiB"), 3 * kibi * kibi * kibi);
  EXPECT_EQ(parse_bytes("1 TiB"), kibi * kibi * kibi * kibi);
  EXPECT_EQ(parse_bytes("9 PB"), 9'000'000'000'000'000);
  EXPECT_EQ(parse_bytes("1.5 PiB"), 3 * kibi * kibi * kibi * kibi * kibi / 2);
}

TEST(ParseBytes, TakesFractionsThatAreWholeBytes) {
  EXPECT_EQ(parse_bytes("1.5 kB"), 1'500);
  EXPECT_EQ(parse_bytes("0.5 KiB"), 512);
  EXPECT_EQ(parse_bytes("1.000 B"), 1);
  EXPECT_EQ(parse_bytes("0.123456789012 TB"), 123'456'789'012);
  // 2^-10 of 2^40 is 2^30.
  EXPECT_EQ(parse_bytes("0.0009765625 TiB"), kibi * kibi * kibi);
}

TEST(ParseBytes, TakesZeroWithAndWithoutUnit) {
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("0 MB"), 0);
  EXPECT_EQ(parse_bytes("0.0 B"), 0);
}

TEST(ParseBytes, GoesUpToTheLargestExactNumber) {
  EXPECT_EQ(parse_bytes("9007199254740991 B"), max_exact);
  EXPECT_THAT([] { (void)parse_bytes("9007199254740992 B"); },
              ThrowsMessage<InputError>(
                  HasSubstr("'9007199254740992 B' is more than 9,007,199,254,740,991 bytes")));
  EXPECT_THROW((void)parse_bytes("9007199254740.992 kB"), InputError);
  EXPECT_THROW((void)parse_bytes("8192 TiB"), InputError);
  EXPECT_THROW((void)parse_bytes("99999999999999999999999999999999 TB"), InputError);
}

TEST(ParseBytes, SaysWhatIsWrongAndWhatWasExpected) {
  const std::string expected =
      " (expected a size such as 4 MB; units: B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB or PiB)";
  const auto expect_refused = [&](const std::string& text, const std::string& wrong) {
    EXPECT_THAT([&] { (void)parse_bytes(text); }, ThrowsMessage<InputError>(wrong + expected));
  };
  expect_refused("4", "'4' has no unit");
  expect_refused("4 mb", "'4 mb' has an unknown unit 'mb'");
  expect_refused("4  MB", "'4  MB' has an unknown unit ' MB'");
  expect_refused("4 MB ", "'4 MB ' has an unknown unit 'MB '");
  expect_refused("-4 MB", "'-4 MB' is negative");
  expect_refused("+4 MB", "'+4 MB' is not a size");
  expect_refused("", "'' is not a size");
  expect_refused("MB", "'MB' is not a size");
  expect_refused("nan MB", "'nan MB' is not a size");
  expect_refused("inf B", "'inf B' is not a size");
  expect_refused("0x10 B", "'0x10 B' has an unknown unit 'x10 B'");
  expect_refused("1e3 B", "'1e3 B' has an exponent");
  expect_refused("1.5E-3 B", "'1.5E-3 B' has an exponent");
  expect_refused("1eB", "'1eB' has an unknown unit 'eB'");
  expect_refused("010 B", "'010 B' has a leading zero");
  expect_refused("00", "'00' has a leading zero");
  expect_refused("1. kB", "'1. kB' is not a size");
  expect_refused(".5 kB", "'.5 kB' is not a size");
  expect_refused("0.3 B", "'0.3 B' is not a whole number of bytes");
  expect_refused("0.1 KiB", "'0.1 KiB' is not a whole number of bytes");
  expect_refused("0.0000000000000000001 B",
                 "'0.0000000000000000001 B' is not a whole number of bytes");
}

TEST(ParseDuration, KnowsSecondsAndCycles) {
  // Equal to the compiler's own reading of the literal, to the last bit.
  EXPECT_EQ(parse_duration("10 ms"), (Duration{0, 10e-3}));
  EXPECT_EQ(parse_duration("3 us"), (Duration{0, 3e-6}));
  EXPECT_EQ(parse_duration("2 s"), (Duration{0, 2.0}));
  EXPECT_EQ(parse_duration("100ns"), (Duration{0, 100e-9}));
  EXPECT_EQ(parse_duration("0.7 ms"), (Duration{0, 0.7e-3}));
  EXPECT_EQ(parse_duration("500 cycles"), (Duration{500, 0.0}));
  EXPECT_EQ(parse_duration("1 cycle"), (Duration{1, 0.0}));
  EXPECT_EQ(parse_duration("0 ms"), Duration{});
  EXPECT_EQ(parse_duration("0"), Duration{});
}

TEST(ParseDuration, RefusesWhatIsNoDuration) {
  EXPECT_THAT([] { (void)parse_duration("10"); },
              ThrowsMessage<InputError>("'10' has no unit (expected a duration such as 10 ms; "
                                        "units: ns, us, ms, s or cycles)"));
  EXPECT_THAT([] { (void)parse_duration("0.5 cycles"); },
              ThrowsMessage<InputError>(HasSubstr("is not a whole number of cycles")));
  EXPECT_THAT([] { (void)parse_duration("9007199254740992 cycles"); },
              ThrowsMessage<InputError>(HasSubstr("is more than 9,007,199,254,740,991 cycles")));
  EXPECT_THAT([] { (void)parse_duration("1000000001 s"); },
              ThrowsMessage<InputError>(HasSubstr("is out of range")));
  EXPECT_THROW((void)parse_duration("-1 ms"), InputError);
  EXPECT_THROW((void)parse_duration("10 Ms"), InputError);
  EXPECT_THROW((void)parse_duration("10 MB"), InputError);
  EXPECT_THROW((void)parse_duration(std::string(400, '9') + " s"), InputError);
}

TEST(ParseFrequency, IsInHertz) {
  EXPECT_EQ(parse_frequency("1GHz"), 1e9);
  EXPECT_EQ(parse_frequency("700 MHz"), 7e8);
  EXPECT_EQ(parse_frequency("32.768 kHz"), 32768.0);
  EXPECT_EQ(parse_frequency("50 Hz"), 50.0);
  EXPECT_THAT([] { (void)parse_frequency("0 GHz"); },
              ThrowsMessage<InputError>("'0 GHz' is not positive (expected a frequency such as 1 "
                                        "GHz; units: Hz, kHz, MHz or GHz)"));
  EXPECT_THAT([] { (void)parse_frequency("0.9 Hz"); },
              ThrowsMessage<InputError>(HasSubstr("'0.9 Hz' is below 1 Hz")));
  EXPECT_EQ(parse_frequency("1 Hz"), 1.0);
  EXPECT_THROW((void)parse_frequency("0"), InputError);
  EXPECT_THROW((void)parse_frequency("1 ghz"), InputError);
}

TEST(ParseBandwidth, IsInBytesPerSecond) {
  EXPECT_EQ(parse_bandwidth("64GB/s"), 64e9);
  EXPECT_EQ(parse_bandwidth("1.1 TB/s"), 1.1e12);
  EXPECT_EQ(parse_bandwidth("2 GiB/s"), 2147483648.0);
  EXPECT_EQ(parse_bandwidth("1PB/s"), 1e15);
  EXPECT_EQ(parse_bandwidth("1 PiB/s"), 1125899906842624.0);
  EXPECT_THAT([] { (void)parse_bandwidth("64 GB"); },
              ThrowsMessage<InputError>(
                  "'64 GB' has an unknown unit 'GB' (expected a bandwidth such as 64 GB/s; units: "
                  "B/s, kB/s, MB/s, GB/s, TB/s, PB/s, KiB/s, MiB/s, GiB/s, TiB/s or PiB/s)"));
  EXPECT_THROW((void)parse_bandwidth("64 Gb/s"), InputError);
  EXPECT_THROW((void)parse_bandwidth("1000001 TB/s"), InputError);
}

TEST(ParseWholeNumber, TakesDigitsInTheRange) {
  EXPECT_EQ(parse_whole_number("0", {0, 10}), 0);
  EXPECT_EQ(parse_whole_number("10", {0, 10}), 10);
  EXPECT_EQ(parse_whole_number("9223372036854775807", {0, INT64_MAX}), INT64_MAX);
}

TEST(ParseWholeNumber, SaysWhatIsWrongAndWhatWasExpected) {
  const auto expect_refused = [](const std::string& text, const std::string& wrong) {
    EXPECT_THAT(
        [&] {
          (void)parse_whole_number(text, {1, 2'000});
        },
        ThrowsMessage<InputError>(wrong + " (expected 1 to 2,000)"));
  };
  expect_refused("0", "'0' is out of range");
  expect_refused("2001", "'2001' is out of range");
  EXPECT_THROW((void)parse_whole_number("3", {0, 2}), InputError);
  expect_refused("1000000000000000000000000000000",
                 "'1000000000000000000000000000000' is out of range");
  expect_refused("-5", "'-5' is negative");
  expect_refused("010", "'010' has a leading zero");
  expect_refused("1e3", "'1e3' is not a whole number");
  expect_refused("3.0", "'3.0' is not a whole number");
  expect_refused("0x10", "'0x10' is not a whole number");
  expect_refused("1_000", "'1_000' is not a whole number");
  expect_refused(" 5", "' 5' is not a whole number");
  expect_refused("", "'' is not a whole number");
}

TEST(ParseSeconds, KnowsNoCycles) {
  EXPECT_DOUBLE_EQ(parse_seconds("100ns"), 100e-9);
  EXPECT_EQ(parse_seconds("0"), 0.0);
  for (const char* text : {"5", "5 cycles"}) {
    EXPECT_THAT([&] { static_cast<void>(parse_seconds(text)); },
                ThrowsMessage<InputError>(
                    HasSubstr("(expected a time such as 100 ns; units: ns, us, ms or s)")));
  }
}

}  // namespace
}  // namespace layerpipe::base
