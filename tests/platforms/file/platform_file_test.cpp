#include "platforms/file/platform_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/platforms/platform_text.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::file {
namespace {

using namespace array;

using testing::HasSubstr;
using testing::StartsWith;
using tests::array;
using tests::host;
using tests::platform;
using tests::refusal;
using tests::Refused;
using tests::zone;

std::string cluster(const std::string& attributes) {
  return platform("<cluster id=\"c\" prefix=\"p\" suffix=\"\" " + attributes + ">" + array +
                  "</cluster>");
}

TEST(PlatformFile, ReadsTheArrayAndWhereTheHostsStand) {
  const PlatformFile file = check_platform(zone(host("p0") + host("p1")), "f.xml");
  EXPECT_EQ(file.array.rows, 32);
  EXPECT_EQ(file.array.cols, 16);
  ASSERT_EQ(file.hosts.size(), 2U);
  EXPECT_EQ(to_string(file.hosts.at("p0")), "f.xml:4:1");
  EXPECT_EQ(to_string(file.hosts.at("p1")), "f.xml:5:1");
}

TEST(PlatformFile, ReadsHowOperationsAreMapped) {
  const std::string dataflow = R"(<prop id="dataflow" value="input-stationary"/>)";
  const PlatformFile plain = check_platform(zone(host("p")), "f.xml");
  EXPECT_EQ(plain.array.dataflow, Dataflow::weight_stationary);
  EXPECT_EQ(plain.array.weight_gradient_dataflow, Dataflow::weight_stationary);
  EXPECT_EQ(plain.array.input_gradient, network::InputGradientMapping::convolution);

  const PlatformFile same = check_platform(zone(host("p", array + dataflow)), "f.xml");
  EXPECT_EQ(same.array.dataflow, Dataflow::input_stationary);
  EXPECT_EQ(same.array.weight_gradient_dataflow, Dataflow::input_stationary);

  const std::string others = R"(<prop id="weight_gradient_dataflow" value="output-stationary"/>)"
                             R"(<prop id="input_gradient" value="gemm"/>)";
  const PlatformFile all = check_platform(zone(host("p", array + dataflow + others)), "f.xml");
  EXPECT_EQ(all.array.dataflow, Dataflow::input_stationary);
  EXPECT_EQ(all.array.weight_gradient_dataflow, Dataflow::output_stationary);
  EXPECT_EQ(all.array.input_gradient, network::InputGradientMapping::gemm);
}

TEST(PlatformFile, TakesAnotherArrayInstead) {
  const std::string text = zone(host("p0", "") + host("p1"));
  EXPECT_THAT(refusal<InfeasibleError>(text),
              HasSubstr("f.xml:5:1: host 'p1' differs in its array from the "
                        "first one (no rows and cols, weight-stationary)"));
  const PlatformFile file = check_platform(text, "f.xml", {ArraySize{8, 4}, {}});
  EXPECT_EQ(file.array.rows, 8);
  EXPECT_EQ(file.array.cols, 4);
}

TEST(PlatformFile, NeedsNoArray) {
  const PlatformFile file = check_platform(zone(host("p0", "") + host("p1", "")), "f.xml");
  EXPECT_FALSE(file.array.has_size());
  EXPECT_THAT(refusal(zone(host("p", "<prop id=\"rows\" value=\"8\"/>"))),
              StartsWith("f.xml:4:1: host 'p' has no property cols"));
  EXPECT_THAT(refusal(zone(host("p", "<prop id=\"cols\" value=\"8\"/>"))),
              StartsWith("f.xml:4:1: host 'p' has no property rows"));
}

/// What is not given follows: the dataflow of G is that of the others unless the file says more.
// Of the weight gradient as well: files that `layerpipe platform` writes always give both.
TEST(PlatformFile, TakesAnotherDataflowInstead) {
  const ArrayOverrides overrides{{}, Dataflow::output_stationary};
  const PlatformFile file = check_platform(zone(host("p")), "f.xml", overrides);
  EXPECT_EQ(file.array.dataflow, Dataflow::output_stationary);
  EXPECT_EQ(file.array.weight_gradient_dataflow, Dataflow::output_stationary);
  const std::string of_weight_gradient =
      R"(<prop id="weight_gradient_dataflow" value="input-stationary"/>)";
  const PlatformFile other =
      check_platform(zone(host("p", array + of_weight_gradient)), "f.xml", overrides);
  EXPECT_EQ(other.array.dataflow, Dataflow::output_stationary);
  EXPECT_EQ(other.array.weight_gradient_dataflow, Dataflow::output_stationary);
}

TEST(PlatformFile, ExpandsTheHostsOfAClusterAsSimGridDoes) {
  const PlatformFile file =
      check_platform(cluster(R"(radical="0-2,10" speed="1Gf" bw="1GBps" lat="0")"), "f.xml");
  EXPECT_EQ(file.hosts.size(), 4U);
  for (const char* name : {"p0", "p1", "p2", "p10"}) EXPECT_TRUE(file.hosts.contains(name)) << name;
}

TEST(PlatformFile, RefusesBadRadicals) {
  for (const char* radical : {"2-0", "x", "1-", "-1", "0-1,", "0-1-2", "0-99999999999"}) {
    EXPECT_THAT(refusal(cluster(std::string("radical=\"") + radical +
                                "\" speed=\"1Gf\" bw=\"1GBps\" lat=\"0\"")),
                StartsWith(std::string("f.xml:3:1: radical '") + radical))
        << radical;
  }
  EXPECT_THAT(
      refusal<InfeasibleError>(cluster(R"(radical="0-2147483647" speed="1Gf" bw="1GBps" lat="0")")),
      StartsWith("f.xml:3:1: more than 65536 processors"));
}

TEST(PlatformFile, RefusesWhatIsNoXml) {
  EXPECT_THAT(refusal("name: sample4\nbatch: 32\n"), HasSubstr("platform and workload swapped?"));
  for (const char* empty : {"", " \n"}) {
    EXPECT_EQ(refusal(empty), "f.xml: is empty (expected a SimGrid platform in XML)");
  }
  EXPECT_THAT(refusal("<platform>\n  <host\n</platform>"),
              StartsWith("f.xml:3:1: not well-formed"));
  EXPECT_THAT(refusal("<workload/>"), StartsWith("f.xml:1:1: the root is <workload>"));
}

TEST(PlatformFile, RefusesWhatSimGridDoesNotParse) {
  EXPECT_THAT(refusal("<platform version=\"4.1\"/>"), HasSubstr("no document type"));
  EXPECT_THAT(refusal("<!DOCTYPE platform>\n<platform version=\"3\"/>"),
              StartsWith("f.xml:2:1: version '3'"));
}

TEST(PlatformFile, NeverExpandsEntities) {
  EXPECT_THAT(refusal(platform(R"(<host id="p" speed="1Gf"><prop id="rows" value="&a;"/></host>)")),
              HasSubstr("'&a;' is not a whole number"));
}

TEST(PlatformFile, RefusesInOnePrintableLine) {
  EXPECT_THAT(refusal("<!DOCTYPE platform><platfo\xFF version=\"4.1\"/>"),
              HasSubstr("the root is <platfo"));
  EXPECT_TRUE(base::is_printable_line(refusal("<a\xFF/>")));
  EXPECT_LT(refusal("<" + std::string(100'000, 'a') + "/>").size(), 600U);
}

TEST(PlatformFile, RefusesDeclarations) {
  for (const char* declaration :
       {"<!ENTITY a \"32\">", "<!ENTITY a SYSTEM \"file:///etc/passwd\">",
        "<!ENTITY % a SYSTEM \"file:///dev/zero\"> %a;",
        "<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;\">",
        "<!ATTLIST host core CDATA \"4\">"}) {
    EXPECT_THAT(refusal(std::string("<!DOCTYPE platform [") + declaration +
                        "]>\n<platform version=\"4.1\"/>"),
                StartsWith("f.xml:2:1: declarations in the document type"))
        << declaration;
  }
}

TEST(PlatformFile, LeavesOutAByteOrderMark) {
  const std::string marked = "\xEF\xBB\xBF" + zone(host("p") + host("p"));
  EXPECT_THAT(refusal(marked), StartsWith("f.xml:5:1: a second host 'p'"));
}

TEST(PlatformFile, RefusesMoreThanAPlatform) {
  EXPECT_THAT(refusal(zone(host("p")) + "<platform/>"), StartsWith("f.xml:8:1: more behind"));
  EXPECT_THAT(refusal(zone(host("p")) + "<!DOCTYPE platform>"), HasSubstr("more behind"));
  EXPECT_NO_THROW(static_cast<void>(check_platform(zone(host("p")) + "<!-- end -->\n", "f.xml")));
}

// Each would be read otherwise by SimGrid's parser, or make it search for minutes.
TEST(PlatformFile, RefusesWhatSimGridsParserCannotStand) {
  for (const char* reference : {"&#233;", "&#xE9;", "&#0;", "&#;", "&#x;", "&#99999999999;"}) {
    EXPECT_THAT(refusal(zone(host(std::string("p") + reference))),
                StartsWith("f.xml:4:12: reference to a character, '&#"))
        << reference;
  }
  EXPECT_TRUE(check_platform(zone(host("p&#65;&#x42;&amp;")), "f.xml").hosts.contains("pAB&"));
  EXPECT_NO_THROW(
      static_cast<void>(check_platform(zone(host("p") + std::string(9'998, '\n')), "f.xml")));
  EXPECT_THAT(refusal(zone(host("p") + std::string(10'000, '\n'))),
              HasSubstr("too much white space (expected at most 10000 bytes in a row)"));
}

TEST(PlatformFile, TakesNamesOf1024Bytes) {
  EXPECT_NO_THROW(static_cast<void>(check_platform(zone(host(std::string(1024, 'p'))), "f.xml")));
  EXPECT_THAT(refusal(zone(host(std::string(1025, 'p')))),
              StartsWith("f.xml:4:1: id '" + std::string(40, 'p') + "...' is too long"));
}

TEST(PlatformFile, RefusesNamesThatAreNotPrintable) {
  EXPECT_THAT(refusal(zone(host("p&#10;0"))), StartsWith("f.xml:4:1: id 'p?0' is not printable"));
}

TEST(PlatformFile, RefusesFilesWithoutHosts) {
  EXPECT_THAT(refusal(zone("")), StartsWith("f.xml: has no hosts"));
}

TEST(PlatformFile, RefusesWhatIsNotModelled) {
  for (const auto& [body, message] : {
           Refused{"<host id=\"p\" speed=\"1Gf\" speed_file=\"x\"/>", "speed_file: profiles"},
           Refused{"<host id=\"p\" speed=\"1Gf\" state_file=\"x\"/>", "state_file: profiles"},
           Refused{"<link id=\"l\" bandwidth=\"1Bps\" latency=\"0\" bandwidth_file=\"x\"/>",
                   "bandwidth_file: profiles"},
           Refused{"<link id=\"l\" bandwidth=\"1Bps\" latency=\"0\" latency_file=\"x\"/>",
                   "latency_file: profiles"},
           Refused{"<trace id=\"t\" file=\"x\"/>", "<trace>: profiles"},
           Refused{"<trace_connect trace=\"t\" element=\"p\"/>", "<trace_connect>: profiles"},
           Refused{"<config id=\"c\"/>", "<config>: the settings of SimGrid"},
           Refused{"<peer id=\"p\"/>", "<peer>: peers are not modelled"},
           Refused{"<actor host=\"p\" function=\"f\"/>", "<actor>: what is executed"},
           Refused{"<host id=\"p\" speed=\"1Gf\" core=\"4\"/>", "core '4'"},
           Refused{"<link id=\"l\" bandwidth=\"1Bps\" latency=\"0\" sharing_policy=\"WIFI\"/>",
                   "sharing policy WIFI"},
           Refused{"<cluster id=\"c\" radical=\"0-2\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" "
                   "sharing_policy=\"FATPIPE\"/>",
                   "sharing_policy FATPIPE of a cluster"},
       }) {
    EXPECT_THAT(refusal(zone(body)), StartsWith("f.xml:4:1: " + message)) << body;
  }
  EXPECT_THAT(refusal(zone("", "Vivaldi")), StartsWith("f.xml:3:1: routing 'Vivaldi' is not"));
  EXPECT_THAT(refusal(zone("", "WIFI")), StartsWith("f.xml:3:1: routing 'WIFI' is not"));
}

TEST(PlatformFile, RefusesBadQuantities) {
  for (const auto& [body, message] : {
           Refused{"<host id=\"p\"/>", "host without speed"},
           Refused{"<host speed=\"1Gf\"/>", "host without id"},
           Refused{"<host id=\"p\" speed=\"0f\"/>", "speed '0f' is not positive"},
           Refused{"<host id=\"p\" speed=\"-1Gf\"/>", "speed '-1Gf' is not positive"},
           Refused{"<host id=\"p\" speed=\"1e-300f\"/>", "speed '1e-300f' is below 1 Hz"},
           Refused{"<link id=\"l\" bandwidth=\"0.1Bps\" latency=\"0\"/>",
                   "bandwidth '0.1Bps' is below 1 B/s"},
           Refused{"<host id=\"p\" speed=\"fast\"/>", "speed 'fast' is not a number"},
           Refused{"<host id=\"p\" speed=\"nanGf\"/>", "speed 'nanGf' is not a number"},
           Refused{"<host id=\"p\" speed=\"1e9\"/>", "speed '1e9' has no unit"},
           Refused{"<host id=\"p\" speed=\"1Gf,2Gf\"/>", "speed '1Gf,2Gf' is a list"},
           Refused{"<host id=\"p\" speed=\"infGf\"/>", "speed 'infGf' is not a number"},
           Refused{"<host id=\"p\" speed=\"0x10Gf\"/>", "speed '0x10Gf' is hexadecimal"},
           Refused{"<host id=\"p\" speed=\"0X1p3Gf\"/>", "speed '0X1p3Gf' is hexadecimal"},
           Refused{"<host id=\"p\" speed=\"1 Gf\"/>", "speed '1 Gf' has an unknown unit ' Gf'"},
           Refused{"<host id=\"p\" speed=\"1gf\"/>", "speed '1gf' has an unknown unit 'gf'"},
           Refused{"<host id=\"p\" speed=\"1GHz\"/>", "speed '1GHz' has an unknown unit 'GHz'"},
           Refused{"<host id=\"p\" speed=\"1e10Gf\"/>", "speed '1e10Gf' is too large"},
           Refused{"<link id=\"l\" bandwidth=\"1GB/s\" latency=\"0\"/>",
                   "bandwidth '1GB/s' has an unknown unit 'GB/s'"},
           Refused{"<link id=\"l\" bandwidth=\"1e300GBps\" latency=\"0\"/>",
                   "bandwidth '1e300GBps' is too large"},
           Refused{"<link id=\"l\" bandwidth=\"1Bps\" latency=\"1US\"/>",
                   "latency '1US' has an unknown unit 'US'"},
           Refused{"<link id=\"l\" bandwidth=\"1Bps\" latency=\"2e9s\"/>",
                   "latency '2e9s' is too large"},
           Refused{"<link id=\"l\" latency=\"0\"/>", "link without bandwidth"},
           Refused{"<link id=\"l\" bandwidth=\"1Bps\"/>", "link without latency"},
           Refused{"<link id=\"l\" bandwidth=\"0Bps\" latency=\"0\"/>", "bandwidth '0Bps' is not"},
           Refused{"<link id=\"l\" bandwidth=\"-1Bps\" latency=\"0\"/>",
                   "bandwidth '-1Bps' is not"},
           Refused{"<link id=\"l\" bandwidth=\"1Bps\" latency=\"-1us\"/>",
                   "latency '-1us' is negative"},
           Refused{"<cluster id=\"c\" radical=\"0-1\" speed=\"1Gf\" bw=\"0Bps\" lat=\"0\"/>",
                   "bw '0Bps' is not positive"},
           Refused{"<cluster id=\"c\" radical=\"0-1\" speed=\"1Gf\" bw=\"1Bps\" lat=\"-1s\"/>",
                   "lat '-1s' is negative"},
       }) {
    EXPECT_THAT(refusal(zone(body)), StartsWith("f.xml:4:1: " + message)) << body;
  }
}

TEST(PlatformFile, TakesExponents) {
  EXPECT_NO_THROW(static_cast<void>(
      check_platform(zone("<host id=\"p\" speed=\"1E9f\">" + array +
                          "</host><link id=\"l\" bandwidth=\".5e3MiBps\" latency=\"1e-7s\"/>"),
                     "f.xml")));
}

TEST(PlatformFile, RefusesASecondOutermostZone) {
  const auto one = [](const std::string& name) {
    return "<zone id=\"" + name + "\" routing=\"Full\">" + host(name + "-p") + "</zone>\n";
  };
  EXPECT_EQ(refusal(platform(one("a") + "<!-- -->\n" + one("b"))),
            "f.xml:6:1: zone 'b' beside another zone (expected one zone around both)");
  EXPECT_THAT(refusal(platform(one("a") + R"(<cluster id="c" radical="0-1"/>)")),
              HasSubstr("cluster 'c' beside another zone"));
  EXPECT_NO_THROW(static_cast<void>(check_platform(
      platform("<zone id=\"z\" routing=\"Full\">" + one("a") + one("b") + "</zone>"), "f.xml")));
}

TEST(PlatformFile, RefusesBadTopologies) {
  const auto with = [](const std::string& topology) {
    return cluster(R"(radical="0-3" speed="1Gf" bw="1GBps" lat="0" )" + topology);
  };
  for (const char* parameters : {"", "x", "0,4", "-2,-2", "2,", "2;2", "4294967296,4", "2 2"}) {
    EXPECT_THAT(
        refusal(with(std::string("topology=\"TORUS\" topo_parameters=\"") + parameters + "\"")),
        StartsWith(std::string("f.xml:3:1: topo_parameters '") + parameters +
                   "' of a TORUS (expected whole numbers from 1, for example 4,4)"))
        << parameters;
  }
  EXPECT_THAT(refusal(with("topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,1\"")),
              HasSubstr("of a FAT_TREE"));
  EXPECT_THAT(refusal(with("topology=\"DRAGONFLY\"")), HasSubstr("of a DRAGONFLY"));
  EXPECT_EQ(refusal(with("topology=\"DRAGONFLY\" topo_parameters=\"3,1;9,1;2,1;1\"")),
            "f.xml:3:1: topo_parameters '3,1;9,1;2,1;1' of a DRAGONFLY have 3 groups and 2 blades "
            "in a chassis (expected at least as many blades)");
  EXPECT_NO_THROW(static_cast<void>(
      check_platform(with("topology=\"DRAGONFLY\" topo_parameters=\"2,1;1,1;2,1;1\""), "f.xml")));
  EXPECT_NO_THROW(static_cast<void>(
      check_platform(with("topology=\"TORUS\" topo_parameters=\"2,2\""), "f.xml")));
  EXPECT_NO_THROW(static_cast<void>(
      check_platform(with("topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,1;1,1\""), "f.xml")));
  EXPECT_THAT(refusal(with("bb_lat=\"1us\"")), StartsWith("f.xml:3:1: bb_lat without bb_bw"));
}

TEST(PlatformFile, RefusesBadProperties) {
  for (const auto& [property, message] : {
           Refused{"<prop id=\"dataflow\" value=\"weight stationary\"/>",
                   "property dataflow: unknown value 'weight stationary' (nearest: "
                   "weight-stationary)"},
           Refused{"<prop id=\"weight_gradient_dataflow\" value=\"xx\"/>",
                   "property weight_gradient_dataflow: unknown value 'xx' (expected "
                   "weight-stationary (ws), input-stationary (is) or output-stationary (os))"},
           Refused{"<prop id=\"input_gradient\" value=\"fft\"/>",
                   "property input_gradient: unknown value 'fft' (expected convolution or gemm)"},
           Refused{"<prop id=\"data_flow\" value=\"input-stationary\"/>",
                   "unknown property 'data_flow' (nearest: dataflow)"},
           Refused{"<prop id=\"rows\" value=\"32\"/>", "property 'rows' is given twice"},
       }) {
    EXPECT_THAT(
        refusal(zone("<host id=\"p\" speed=\"1Gf\">" + array + "\n" + property + "</host>")),
        StartsWith("f.xml:5:1: " + message))
        << property;
  }
  for (const char* rows : {"0", "-32", "32.0", "032", "32x32", "", "99999999999999999999"}) {
    const std::string property = std::string("<prop id=\"rows\" value=\"") + rows + "\"/>";
    EXPECT_THAT(refusal(zone("<host id=\"p\" speed=\"1Gf\">\n" + property + "</host>")),
                StartsWith("f.xml:5:1: property rows: '"))
        << rows;
  }
}

TEST(PlatformFile, LeavesOtherPropertiesAlone) {
  const std::string text = zone(host("p", array + R"(<prop id="wattage" value="200"/>)"));
  EXPECT_EQ(check_platform(text, "f.xml").array.rows, 32);
}

TEST(PlatformFile, RefusesHostsThatDiffer) {
  const std::string other = R"(<prop id="rows" value="32"/><prop id="cols" value="32"/>)";
  EXPECT_THAT(refusal<InfeasibleError>(zone(host("p0") + host("p1", other))),
              StartsWith("f.xml:5:1: host 'p1' differs in its array"));
  const std::string held = array + R"(<prop id="dataflow" value="input-stationary"/>)";
  EXPECT_THAT(refusal<InfeasibleError>(zone(host("p0") + host("p1", held))),
              StartsWith("f.xml:5:1: host 'p1' differs in its array"));
  EXPECT_NO_THROW(static_cast<void>(
      check_platform(zone(host("p0") + host("p1", other)), "f.xml", {ArraySize{8, 8}, {}})));
}

TEST(PlatformFile, RefusesDuplicates) {
  const std::string link = "<link id=\"l\" bandwidth=\"1Bps\" latency=\"0\"/>\n";
  const std::string route = "<route src=\"p0\" dst=\"p1\"><link_ctn id=\"l\"/></route>\n";
  const std::string back = "<route src=\"p1\" dst=\"p0\"><link_ctn id=\"l\"/></route>\n";
  const std::string hosts = host("p0") + host("p1");
  EXPECT_THAT(refusal(zone(host("p0") + host("p0"))), StartsWith("f.xml:5:1: a second host 'p0'"));
  EXPECT_THAT(refusal(zone(link + link)), StartsWith("f.xml:5:1: a second link 'l'"));
  EXPECT_THAT(refusal(zone(hosts + link + route + route)), StartsWith("f.xml:8:1: a second route"));
  EXPECT_THAT(refusal(zone(hosts + link + route + back)), StartsWith("f.xml:8:1: a second route"));
}

TEST(PlatformFile, RefusesDeepNesting) {
  std::string zones;
  for (int i = 0; i < 100'000; ++i) zones += "<zone id=\"z\" routing=\"Full\">\n";
  for (int i = 0; i < 100'000; ++i) zones += "</zone>";
  EXPECT_EQ(refusal(platform(zones)), "f.xml:67:1: nested too deeply (expected at most 64 levels)");
}

TEST(PlatformFile, ReadsNamesInOtherScriptsAndWindowsLines) {
  std::string text;
  for (const char c : zone(host("\u6771\u4eac"))) text += c == '\n' ? "\r\n" : std::string(1, c);
  const PlatformFile file = check_platform(text, "f.xml");
  EXPECT_EQ(to_string(file.hosts.at("\u6771\u4eac")), "f.xml:4:1");
  EXPECT_EQ(file.bytes, text.size());
}

TEST(PlatformFile, AsksForTheDirectionOfSplitDuplexLinks) {
  const std::string link =
      "<link id=\"l\" bandwidth=\"1Bps\" latency=\"0\" sharing_policy=\"SPLITDUPLEX\"/>\n";
  EXPECT_THAT(refusal(zone(host("p0") + host("p1") + link +
                           "<route src=\"p0\" dst=\"p1\">\n<link_ctn id=\"l\"/></route>")),
              StartsWith("f.xml:8:1: link 'l' is split-duplex"));
}

TEST(PlatformFile, RefusesWhatIsNoFile) {
  EXPECT_THROW(static_cast<void>(read_platform_file("/no/such/file.xml")), InputError);
  EXPECT_THROW(static_cast<void>(read_platform_file(testing::TempDir())), InputError);
  EXPECT_THROW(static_cast<void>(read_platform_file("/dev/zero")), InputError);
}

}  // namespace
}  // namespace layerpipe::file
