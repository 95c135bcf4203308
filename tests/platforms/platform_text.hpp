#pragma once

#include <gtest/gtest.h>

#include <string>

#include "platforms/file/platform_file.hpp"
#include "workloads/base/error.hpp"

/// Platform files to check, and what is said against them.
namespace layerpipe::tests {

/// The body starts in line 3.
inline std::string platform(const std::string& body) {
  return "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         body + "\n</platform>\n";
}

inline std::string zone(const std::string& body, const std::string& routing = "Full") {
  return platform("<zone id=\"z\" routing=\"" + routing + "\">\n" + body + "\n</zone>");
}

inline const std::string array = R"(<prop id="rows" value="32"/><prop id="cols" value="16"/>)";

inline std::string host(const std::string& name, const std::string& properties = array) {
  return "<host id=\"" + name + "\" speed=\"1Gf\">" + properties + "</host>\n";
}

template <typename Kind = InputError>
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(file::check_platform(text, "f.xml"));
  } catch (const Kind& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

/// A line that is refused.
struct Refused {
  std::string body;  ///< in line 4
  std::string message;
};

}  // namespace layerpipe::tests
