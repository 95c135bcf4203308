#include "sim/engine/load_machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>

#include "platforms/file/generate.hpp"
#include "sim/engine/simgrid_versions.hpp"
#include "sim/process/isolated_process.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::engine {
namespace {

using namespace process;

using machine::Machine;
using testing::HasSubstr;
using testing::StartsWith;

/// A file that is there as long as the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(fmt::format("{}/platform_{}.xml", testing::TempDir(), ::getpid())) {
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string shipped(const std::string& name) {
  return LAYERPIPE_SOURCE_DIR "/platforms/" + name + ".xml";
}

/// One process loads one platform: each in its own.
std::string loaded(const std::string& path, const std::function<std::string(const Machine&)>& see,
                   const LoadOptions& options = {}) {
  return run_isolated([&] { return see(load_machine(path, options)); });
}

template <typename Kind = InputError>
std::string refusal(
    const std::string& text, const std::function<std::string(const Machine&)>& see =
                                 [](const Machine&) { return std::string(); }) {
  const TemporaryFile file(text);
  try {
    static_cast<void>(loaded(file.path(), see));
  } catch (const Kind& error) {
    std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_THAT(message, StartsWith(file.path()));
    return message.substr(std::min(file.path().size(), message.size()));
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

std::string route(const Machine& machine, std::size_t from, std::size_t to) {
  const machine::Route route = machine.route(from, to);
  std::string text;
  for (const std::size_t link : route.links) text += machine.links[link].name + " ";
  return fmt::format("{}{:.9g} s {:.9g} B/s", text, route.latency_seconds,
                     machine::bandwidth(machine, route));
}

std::string route_0_to_2(const Machine& machine) { return route(machine, 0, 2); }

std::string platform(const std::string& body) {
  return "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         body + "</platform>\n";
}

const std::string array = R"(<prop id="rows" value="32"/><prop id="cols" value="32"/>)";

std::string host(const std::string& name, const std::string& speed = "1Gf") {
  return fmt::format("<host id=\"{}\" speed=\"{}\">{}</host>\n", name, speed, array);
}

/// Three hosts, and a route between the first two.
std::string with_a_gap(const std::string& routing) {
  return platform("<zone id=\"z\" routing=\"" + routing + "\">\n" + host("p0") + host("p1") +
                  host("p2") +
                  "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"
                  "<route src=\"p0\" dst=\"p1\"><link_ctn id=\"l\"/></route>\n</zone>\n");
}

// The shipped files are made of 1 GHz, 64 GB/s and 100 ns: a crossbar's route crosses two links.
TEST(LoadMachine, ReadsTheShippedCrossbar) {
  EXPECT_EQ(loaded(shipped("three-32x32"),
                   [](const Machine& machine) {
                     std::size_t good_links = 0;
                     for (const machine::Link& link : machine.links) {
                       if (link.bytes_per_second == 64e9 && link.shared) ++good_links;
                     }
                     return fmt::format("{} {}x{} {} Hz {} {} links / {}", machine.name,
                                        machine.array.rows, machine.array.cols, machine.clock_hertz,
                                        fmt::join(machine.processors, ","), good_links,
                                        route_0_to_2(machine));
                   }),
            "three-32x32 32x32 1000000000 Hz p0,p1,p2 6 links / "
            "machine_link_0_UP machine_link_2_DOWN 2e-07 s 6.4e+10 B/s");
}

TEST(LoadMachine, ReadsTheShippedChain) {
  EXPECT_EQ(loaded(shipped("three-32x32-chain"),
                   [](const Machine& machine) {
                     return fmt::format("{} / {} / {} / {}", machine.links.size(),
                                        route_0_to_2(machine), route(machine, 2, 0),
                                        route(machine, 2, 1));
                   }),
            "4 / p0-p1_UP p1-p2_UP 2e-07 s 6.4e+10 B/s / p1-p2_DOWN p0-p1_DOWN 2e-07 s 6.4e+10 B/s "
            "/ p1-p2_DOWN 1e-07 s 6.4e+10 B/s");
}

file::PlatformSpec chain_of(std::int64_t processors) {
  file::PlatformSpec spec;
  spec.processors = processors;
  spec.topology = machine::Topology::chain;
  return spec;
}

// In a chain the way from i to j crosses |i - j| links.
TEST(LoadMachine, FindsEveryRouteOfAChain) {
  const TemporaryFile file(file::platform_xml(chain_of(12)));
  EXPECT_EQ(loaded(file.path(),
                   [](const Machine& machine) {
                     std::string wrong;
                     for (std::size_t i = 0; i < 12; ++i) {
                       for (std::size_t j = 0; j < 12; ++j) {
                         if (i == j) continue;
                         const std::size_t distance = i < j ? j - i : i - j;
                         if (machine.route(i, j).links.size() != distance) {
                           wrong += fmt::format("{}-{} ", i, j);
                         }
                       }
                     }
                     return wrong + fmt::format("{}", fmt::join(machine.processors, " "));
                   }),
            "p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11");
}

TEST(LoadMachine, LoadsAThousandProcessors) {
  file::PlatformSpec spec = chain_of(1024);
  for (const std::size_t links : {std::size_t{1023}, std::size_t{2}}) {
    const TemporaryFile file(file::platform_xml(spec));
    EXPECT_EQ(loaded(file.path(),
                     [](const Machine& machine) {
                       return fmt::format("{} {}", machine.processors.back(),
                                          machine.route(1023, 0).links.size());
                     }),
              fmt::format("p1023 {}", links));
    spec.topology = machine::Topology::crossbar;
  }
}

TEST(LoadMachine, LoadsOneProcessor) {
  file::PlatformSpec spec = chain_of(1);
  for (const auto topology : {machine::Topology::chain, machine::Topology::crossbar}) {
    spec.topology = topology;
    const TemporaryFile file(file::platform_xml(spec));
    EXPECT_EQ(
        loaded(file.path(), [](const Machine& m) { return std::to_string(m.processors.size()); }),
        "1");
  }
}

TEST(LoadMachine, TellsLinksThatAreNotShared) {
  const TemporaryFile file(
      platform("<cluster id=\"c\" prefix=\"p\" suffix=\"\" radical=\"0-2\" speed=\"1Gf\" "
               "bw=\"1GBps\" lat=\"1us\" bb_bw=\"2GBps\" bb_lat=\"3us\" "
               "bb_sharing_policy=\"FATPIPE\">" +
               array + "</cluster>\n"));
  EXPECT_EQ(loaded(file.path(),
                   [](const Machine& machine) {
                     std::string text = route_0_to_2(machine);
                     for (const machine::Link& link : machine.links) {
                       if (!link.shared) text += " / " + link.name;
                     }
                     return text;
                   }),
            "c_link_0_UP c_backbone c_link_2_DOWN 5e-06 s 1e+09 B/s / c_backbone");
}

TEST(LoadMachine, TakesAnotherArrayInstead) {
  EXPECT_EQ(loaded(shipped("three-32x32"),
                   [](const Machine& machine) {
                     return fmt::format("{}x{}", machine.array.rows, machine.array.cols);
                   },
                   {.array = {array::ArraySize{128, 64}, {}}}),
            "128x64");
}

TEST(LoadMachine, ComparesClocksWhateverTheirUnit) {
  const auto text = [](const std::string& speed) {
    return platform("<zone id=\"z\" routing=\"Full\">\n" + host("p0") + host("p1", speed) +
                    "</zone>\n");
  };
  const TemporaryFile file(text("1000Mf"));
  EXPECT_EQ(loaded(file.path(), [](const Machine& m) { return fmt::format("{}", m.clock_hertz); }),
            "1000000000");
  EXPECT_THAT(refusal<InfeasibleError>(text("2Gf")),
              StartsWith(":5:1: host 'p1' has a clock of 2000000000 Hz"));
}

TEST(LoadMachine, SaysWhereThereIsNoRoute) {
  for (const char* routing : {"Full", "Floyd"}) {
    EXPECT_THAT(refusal(with_a_gap(routing), route_0_to_2),
                StartsWith(":4:1: no route from p0 to p2"))
        << routing;
  }
  for (const char* routing : {"Dijkstra", "DijkstraCache"}) {
    EXPECT_THAT(refusal(with_a_gap(routing)), HasSubstr("no route from p0 to p2")) << routing;
  }
}

TEST(LoadMachine, SaysWhereThereIsNoRouteBetweenZones) {
  const std::string zones = "<zone id=\"a\" routing=\"Full\">\n" + host("p0") + host("p1") +
                            "</zone>\n<zone id=\"b\" routing=\"Full\">\n" + host("p2") +
                            "</zone>\n</zone>\n";
  for (const char* routing : {"Full", "Floyd"}) {
    EXPECT_THAT(refusal(platform(fmt::format("<zone id=\"z\" routing=\"{}\">\n", routing) + zones),
                        route_0_to_2),
                StartsWith(":5:1: no route from p0 to p2"));
  }
}

// What SimGrid 3.32 throws on. It names a line only for what its parser finds.
TEST(LoadMachine, TellsWhatSimGridRefuses) {
  const auto zone = [](const std::string& body) {
    return platform("<zone id=\"z\" routing=\"Full\">\n" + host("p0") + host("p1") +
                    "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0\"/>\n" + body + "</zone>\n");
  };
  EXPECT_THAT(refusal(zone("<link_ctn id=\"l\"/>\n")), StartsWith(":7: SimGrid refuses it: "));
  EXPECT_EQ(refusal(zone("<route src=\"p0\" dst=\"p9\"><link_ctn id=\"l\"/></route>\n")),
            ":7: SimGrid refuses it: Route dst='p9' does not name a node.");
  EXPECT_EQ(refusal(zone("<route src=\"p0\" dst=\"p1\">\n<link_ctn id=\"k\"/></route>\n")),
            ":8:1: SimGrid refuses it: Link not found: k");
  EXPECT_EQ(refusal(zone("<route src=\"p0\" dst=\"p1\"/>\n")),
            ":7:1: SimGrid refuses it: Empty route (between p0 and p1) forbidden.");
  EXPECT_EQ(
      refusal(platform("<zone id=\"y\" routing=\"Full\">\n<zone id=\"z\" routing=\"Full\">\n" +
                       host("p0") + "</zone>\n<zone id=\"z\" routing=\"Full\"/>\n</zone>\n")),
      ":7:1: SimGrid refuses it: Refusing to create a second NetZone called 'z'.");
}

TEST(LoadMachine, ReadsNoOtherDocumentType) {
  std::string text = platform("<zone id=\"z\" routing=\"Full\">\n" + host("p0") + "</zone>\n");
  text.replace(text.find("https"), std::string("https://simgrid.org/simgrid.dtd").size(),
               "file:///dev/zero");
  EXPECT_THAT(refusal(text), StartsWith(":1: SimGrid refuses it: Bad declaration <!DOCTYPE"));
}

TEST(LoadMachine, CutsWhatSimGridSaysAtGreatLength) {
  const std::string text =
      platform("<zone id=\"z\" routing=\"Full\">\n" + host("p0") + "<route src=\"p0\" dst=\"" +
               std::string(1000, 'a') + "\"/></zone>\n");
  EXPECT_THAT(refusal(text), HasSubstr("SimGrid refuses it: Route dst='aaa"));
  EXPECT_LT(refusal(text).size(), 400U);
}

// In SimGrid 3.32 a zone with routing Full has a table of 8 bytes for each pair of its members:
// 8 * 10000^2 are twice what a trial may take.
TEST(LoadMachine, RefusesWhatSimGridNeedsTooMuchFor) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer has an allocator of its own, which ends the process";
#endif
  std::string hosts;
  for (int i = 0; i < 10'000; ++i) hosts += host(fmt::format("p{}", i));
  EXPECT_THAT(refusal<InfeasibleError>(
                  platform("<zone id=\"z\" routing=\"Full\">\n" + hosts +
                           "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0\"/>\n"
                           "<route src=\"p0\" dst=\"p1\"><link_ctn id=\"l\"/></route></zone>\n")),
              HasSubstr("SimGrid needs more than 1 s or 384 MiB to load it"));
}

// To find a link, SimGrid 3.32 looks into one zone after the other: here 300,000 times into 3,000.
TEST(LoadMachine, RefusesWhatSimGridTakesTooLongFor) {
  std::string zones;
  for (int i = 0; i < 3'000; ++i) zones += fmt::format("<zone id=\"z{}\" routing=\"None\"/>\n", i);
  std::string uses;
  for (int i = 0; i < 300'000; ++i) uses += "<link_ctn id=\"l\"/>";
  EXPECT_THAT(
      refusal<InfeasibleError>(platform(
          "<zone id=\"y\" routing=\"Full\">\n" + zones + "<zone id=\"z\" routing=\"Full\">\n" +
          host("p0") + host("p1") + "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0\"/>\n" +
          "<route src=\"p0\" dst=\"p1\">" + uses + "</route></zone></zone>\n")),
      HasSubstr("SimGrid needs more than 1 s or 384 MiB to load it"));
}

TEST(LoadMachine, RefusesRoutesOfTooManyLinks) {
  const auto with_links = [](std::size_t count) {
    std::string links;
    std::string route = "<route src=\"p0\" dst=\"p1\">";
    for (std::size_t i = 0; i < count; ++i) {
      links += fmt::format("<link id=\"l{}\" bandwidth=\"1GBps\" latency=\"0\"/>\n", i);
      route += fmt::format("<link_ctn id=\"l{}\"/>", i);
    }
    return platform("<zone id=\"z\" routing=\"Full\">\n" + host("p0") + host("p1") + links + route +
                    "</route></zone>\n");
  };
  const auto look_up = [](const Machine& machine) { return route(machine, 0, 1); };
  EXPECT_THAT(refusal<InfeasibleError>(with_links(4097), look_up),
              StartsWith(":4:1: 4097 links on the route from p0 to p1"));
  const TemporaryFile longest(with_links(4096));
  EXPECT_NO_THROW(static_cast<void>(loaded(longest.path(), look_up)));
}

std::string cluster_of_4(const std::string& topology) {
  return "<cluster id=\"c\" prefix=\"p\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" "
         "lat=\"1us\" " +
         topology + ">" + array + "</cluster>";
}

// SimGrid 4.0 crashes on one that is in no zone.
TEST(LoadMachine, ReadsClustersInAZoneAndInNone) {
  const auto see = [](const Machine& machine) {
    return fmt::format("{} / {} / {} / {}", machine.processors.size(), machine.links.size(),
                       route_0_to_2(machine), route(machine, 3, 0));
  };
  const auto seen = [&](const std::string& body) {
    const TemporaryFile file(platform(body));
    return loaded(file.path(), see);
  };
  for (const char* topology :
       {"topology=\"TORUS\" topo_parameters=\"2,2\"",
        "topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,2;1,1\"",
        "topology=\"DRAGONFLY\" topo_parameters=\"2,1;1,1;2,1;1\"", "topology=\"FLAT\"", ""}) {
    const std::string cluster = cluster_of_4(topology);
    const std::string alone = seen(cluster + "<!-- no </platform> yet -->\n");
    EXPECT_THAT(alone, StartsWith("4 / ")) << topology;
    EXPECT_EQ(alone, seen("<zone id=\"z\" routing=\"Full\">" + cluster + "</zone>\n")) << topology;
  }
  // A square of p0 p1 above p2 p3: from p3 along its row first.
  EXPECT_EQ(seen(cluster_of_4("topology=\"TORUS\" topo_parameters=\"2,2\"")),
            "4 / 16 / c_link_from_0_to_2_UP 1e-06 s 1e+09 B/s / c_link_from_2_to_3_DOWN "
            "c_link_from_0_to_2_DOWN 2e-06 s 1e+09 B/s");
}

// SimGrid aborts on a torus with more places than hosts.
TEST(LoadMachine, TellsWhatSimGridDiesOf) {
  EXPECT_THAT(refusal(platform(cluster_of_4("topology=\"TORUS\" topo_parameters=\"3,2\""))),
              StartsWith(":3:1: SimGrid refuses it: Zone(c): error when creating host number 4"));
}

// In a process that captures its own streams, or run_isolated would.
TEST(LoadMachine, WritesNothing) {
  const TemporaryFile good(with_a_gap("Floyd"));
  EXPECT_EQ(run_isolated([&] {
              testing::internal::CaptureStdout();
              testing::internal::CaptureStderr();
              const Machine machine = load_machine(good.path());
              std::string refused;
              try {
                static_cast<void>(machine.route(0, 2));
              } catch (const InputError&) {
                refused = "refused";
              }
              return testing::internal::GetCapturedStdout() +
                     testing::internal::GetCapturedStderr() + refused;
            }),
            "refused");
}

TEST(LoadMachine, LoadsOnePlatformInAProcess) {
  EXPECT_THROW(static_cast<void>(
                   loaded(shipped("three-32x32"),
                          [](const Machine&) { return load_machine(shipped("four-32x32")).name; })),
               InternalError);
}

// SimGrid installs handlers of its own for these.
TEST(LoadMachine, LeavesSignalHandlersAsTheyWere) {
  EXPECT_EQ(run_isolated([] {
              for (const int signal : {SIGINT, SIGSEGV, SIGBUS}) std::signal(signal, SIG_IGN);
              static_cast<void>(load_machine(shipped("three-32x32")));
              std::string replaced;
              for (const int signal : {SIGINT, SIGSEGV, SIGBUS}) {
                if (std::signal(signal, SIG_DFL) != SIG_IGN) replaced += fmt::format("{} ", signal);
              }
              return replaced;
            }),
            "");
}

// A process can load one platform, but have any number inspected.
TEST(InspectMachine, TellsWhatIsSeen) {
  for (const char* name : {"three-32x32", "four-64x64"}) {
    EXPECT_EQ(inspect_machine(shipped(name), [](const Machine& m) { return m.name; }), name);
  }
  const TemporaryFile gap(with_a_gap("Full"));
  EXPECT_THAT([&] { static_cast<void>(inspect_machine(gap.path(), route_0_to_2)); },
              testing::ThrowsMessage<InputError>(HasSubstr(":4:1: no route from p0 to p2")));
  const TemporaryFile bad(platform("<zone id=\"z\" routing=\"Full\">\n" + host("p0") +
                                   "<router id=\"r\"/>\n<route src=\"p0\" dst=\"r\"/>\n</zone>\n"));
  EXPECT_THAT(
      [&] { static_cast<void>(inspect_machine(bad.path(), route_0_to_2)); },
      testing::ThrowsMessage<InputError>(HasSubstr(":6:1: SimGrid refuses it: Empty route")));
}

TEST(LoadMachine, FindsRoutesInCopiesOfTheProcess) {
  EXPECT_EQ(loaded(shipped("three-32x32"),
                   [](const Machine& machine) {
                     const auto ask = [&] { return route_0_to_2(machine); };
                     return run_isolated(ask) == ask() ? "same" : "other";
                   }),
            "same");
}

TEST(Simgrid, ToldItsVersion) {
  EXPECT_THAT(simgrid_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(simgrid_settings(), testing::Contains("network/model:CM02"));
}

constexpr const char* two_hosts =
    "<zone id='z' routing='Full'>"
    "<host id='p0' speed='1Gf'><prop id='rows' value='4'/><prop id='cols' value='4'/></host>"
    "<host id='p1' speed='1Gf'><prop id='rows' value='4'/><prop id='cols' value='4'/></host>"
    "<link id='l' bandwidth='1GBps' latency='1us'/>"
    "<route src='p0' dst='p1'>{}</route></zone>";

TEST(LoadMachine, RefusesRoutesThatTheTransferTimeDoesNotHoldFor) {
  const auto look_up = [](const Machine& machine) { return route(machine, 0, 1); };
  const auto with_route = [](const std::string& links) {
    return platform(fmt::format(fmt::runtime(two_hosts), links));
  };
  EXPECT_THAT(refusal(with_route("<link_ctn id='l'/><link_ctn id='l'/>"), look_up),
              HasSubstr("link 'l' twice on the route from p0 to p1"));
  EXPECT_THAT(refusal(with_route("<link_ctn id='__loopback__'/>"), look_up),
              HasSubstr("a loopback link on the route from p0 to p1"));
}

TEST(LoadMachine, RefusesALineBreakInAName) {
  EXPECT_THAT(refusal(platform("<zone id='z' routing='Full'><host id='p\n0' speed='1Gf'>"
                               "<prop id='rows' value='4'/><prop id='cols' value='4'/></host>"
                               "</zone>")),
              HasSubstr("is not printable"));
}

TEST(LoadMachine, RefusesWhatIsNestedTooDeeply) {
  std::string zones;
  std::string ends;
  for (int depth = 0; depth < 500; ++depth) {
    zones += fmt::format("<zone id='z{}' routing='Full'>", depth);
    ends += "</zone>";
  }
  EXPECT_THAT(refusal(platform(zones + ends)), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace layerpipe::engine
