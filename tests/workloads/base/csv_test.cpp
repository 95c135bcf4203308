#include "workloads/base/csv.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace layerpipe::base {
namespace {

// RFC 4180, section 2: fields with a comma, a quote or a line break are quoted, quotes doubled.
TEST(Csv, QuotesWhatNeedsIt) {
  Csv csv({"name", "bytes"});
  csv.add_row({"plain", "1"});
  csv.add_row({"a,b", "2"});
  csv.add_row({"say \"hi\"", "3"});
  csv.add_row({"two\nlines", ""});
  EXPECT_EQ(csv.text(),
            "name,bytes\n"
            "plain,1\n"
            "\"a,b\",2\n"
            "\"say \"\"hi\"\"\",3\n"
            "\"two\nlines\",\n");
}

TEST(CsvNumber, KeepsAllDigits) {
  EXPECT_EQ(csv_number(std::int64_t{99'999'999'999'999}), "99999999999999");
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(1.0 / 3.0), "0.3333333333333333");
}

}  // namespace
}  // namespace layerpipe::base
