#include "sim/platform/simgrid_platform.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

using namespace storcast;
using Catch::Contains;

namespace {

// One host with eight ports and an array of two controllers with four ports each; a link pair per
// cable with figures that no power of two divides.
PlatformConfig eight_ports() {
  PlatformConfig config;
  config.nodes = {{"host", 32, {{110.1}, {133.3}, {512.7}}},
                  {"array.controller_a", 16, {{80}, {90.9}, {1.0 / 3}}},
                  {"array.controller_b", 16, {}}};
  for (int i = 0; i < 8; ++i) {
    const std::string port = "host.port" + std::to_string(i);
    const std::string side = i < 4 ? "array.controller_a.port" : "array.controller_b.port";
    const std::string target = side + std::to_string(i % 4);
    const std::string up = port + ".up", down = port + ".down";
    config.links.push_back({up, {1e10 / (3 + i)}, Duration{500001 + i}});
    config.links.push_back({down, {3.125e9}, Duration{i == 0 ? 0 : 1234567890123}});
    config.routes.push_back({port, target, {up}});
    config.routes.push_back({target, port, {down}});
  }
  return config;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("storcast_platform_test_" + std::to_string(getpid()) + ".xml")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string xml(const std::string& content) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         content + "\n</platform>\n";
}

const std::string two_hosts = R"(<zone id="z" routing="Full">
  <host id="client" speed="1Gf" core="8">
    <prop id="wattage_per_state" value="100.5:120:200"/></host>
  <host id="array" speed="1Gf"><prop id="wattage_per_state" value=" 10 : 20 "/></host>
  <host id="bare" speed="1Gf"/>
  <link id="cable" bandwidth="25Gbps" latency="1.5us" sharing_policy="SPLITDUPLEX"/>
  <link id="backplane" bandwidth="12.3GBps" latency="7ns"/>
  <route src="client" dst="array">
    <link_ctn id="cable" direction="UP"/><link_ctn id="backplane"/></route>
</zone>)";

PlatformConfig from_file(const std::string& path) {
  PlatformConfig config;
  config.simgrid_file = path;
  config.routes = {{"client", "array", {}}, {"array", "client", {}}};
  return config;
}

std::string refusal(const PlatformConfig& config) {
  try {
    (void)load_simgrid_platform(config);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("nodes, links and routes come back from SimGrid as they were given") {
  const PlatformConfig config = eight_ports();
  const Platform platform = load_simgrid_platform(config);
  REQUIRE(platform.nodes.size() == config.nodes.size());
  for (std::size_t i = 0; i < config.nodes.size(); ++i) {
    CHECK(platform.nodes[i].name == config.nodes[i].name);
    CHECK(platform.nodes[i].cores == config.nodes[i].cores);
    CHECK(platform.nodes[i].power.idle == config.nodes[i].power.idle);
    CHECK(platform.nodes[i].power.epsilon == config.nodes[i].power.epsilon);
    CHECK(platform.nodes[i].power.all_cores == config.nodes[i].power.all_cores);
  }
  REQUIRE(platform.links.size() == config.links.size());
  for (std::size_t i = 0; i < config.links.size(); ++i) {
    CHECK(platform.links[i].name == config.links[i].name);
    CHECK(platform.links[i].bandwidth == config.links[i].bandwidth);
    CHECK(platform.links[i].latency == config.links[i].latency);
  }
  REQUIRE(platform.routes.size() == config.routes.size());
  CHECK(platform.route("host.port5", "array.controller_b.port1").links ==
        std::vector<std::size_t>{10});
  CHECK(platform.route("array.controller_b.port1", "host.port5").links ==
        std::vector<std::size_t>{11});
}

TEST_CASE("a route of several links has the sum of their latencies, to the picosecond") {
  PlatformConfig config;
  config.nodes = {{"a", 1, {}}, {"b", 1, {}}};
  PlatformConfig::RouteConfig route{"a", "b", {}};
  std::int64_t sum = 0;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t latency = 1 + i * 987654321987LL % 10000000019LL;
    sum += latency;
    config.links.push_back({"l" + std::to_string(i), {1e9}, Duration{latency}});
    route.links.insert(route.links.begin(), config.links.back().name);
  }
  config.routes = {route};
  const Platform platform = load_simgrid_platform(config);
  CHECK(platform.route("a", "b").latency == Duration{sum});
  CHECK(platform.route("a", "b").links.front() == 19);
  CHECK(platform.route("a", "b").links.back() == 0);
}

TEST_CASE("a platform without links or routes is a platform") {
  PlatformConfig config;
  config.nodes = {{"alone", 3, {}}};
  CHECK(load_simgrid_platform(config).node("alone").cores == 3);
  CHECK(load_simgrid_platform(PlatformConfig{}).nodes.empty());
}

TEST_CASE("each rule for the parts of a platform has its refusal") {
  PlatformConfig config = eight_ports();
  const double infinity = std::numeric_limits<double>::infinity();
  std::string expected;
  SECTION("cores") {
    config.nodes[1].cores = 0, expected = "node 'array.controller_a' has 0 cores";
  }
  SECTION("power") { config.nodes[0].power.idle = {-1}, expected = "'host' has a power of -1 W"; }
  SECTION("power, finite") { config.nodes[0].power.epsilon = {infinity}, expected = "of inf W"; }
  SECTION("node name") { config.nodes[2].name = "", expected = "a node has no name"; }
  SECTION("node twice") {
    config.nodes[2].name = "host", expected = "node 'host' is declared twice";
  }
  SECTION("link name") { config.links[2].name = "", expected = "a link has no name"; }
  SECTION("link twice") {
    config.links[2].name = "host.port0.up", expected = "port0.up' is declared twice";
  }
  SECTION("bandwidth, zero") {
    config.links[3].bandwidth = {0}, expected = "port1.down' has a bandwidth of 0";
  }
  SECTION("bandwidth, infinite") {
    config.links[3].bandwidth = {infinity}, expected = "bandwidth of inf";
  }
  SECTION("bandwidth, no number") {
    config.links[3].bandwidth = {std::nan("")}, expected = "bandwidth of nan";
  }
  SECTION("latency, negative") {
    config.links[3].latency = Duration{-1}, expected = "latency of -1 ps";
  }
  SECTION("latency, long") {
    config.links[3].latency = std::chrono::hours{1}, expected = "0 to 1000 s";
  }
  SECTION("route to nobody") {
    config.routes[0].to = "array.controller_c.port0",
    expected = "no node 'array.controller_c.port0'";
  }
  SECTION("port without a name") { config.routes[0].from = "host.", expected = "no node 'host.'"; }
  SECTION("a name that only begins alike") {
    config.routes[0].from = "hostess", expected = "no node 'hostess'";
  }
  SECTION("route without links") {
    config.routes[0].links = {},
    expected = "from 'host.port0' to 'array.controller_a.port0' has no links";
  }
  SECTION("unknown link") { config.routes[0].links = {"rope"}, expected = "no link 'rope'"; }
  SECTION("route twice") { config.routes[2] = config.routes[0], expected = "is declared twice"; }
  SECTION("route to itself") {
    config.routes[0].to = config.routes[0].from, expected = "leads nowhere";
  }
  CHECK_THAT(refusal(config), Contains(expected));
}

TEST_CASE("all problems of a platform are reported at once") {
  PlatformConfig config = eight_ports();
  config.nodes[0].cores = -4;
  config.links[0].bandwidth = {-1};
  config.routes[1].links = {"rope"};
  CHECK_THAT(refusal(config), Contains("-4 cores") && Contains("-1 B/s") && Contains("'rope'"));
  // The process is fit for use after a refusal.
  CHECK(load_simgrid_platform(eight_ports()).routes.size() == 16);
}

TEST_CASE("a SimGrid platform file gives nodes, links and routes") {
  const TemporaryFile file(xml(two_hosts));
  const Platform platform = load_simgrid_platform(from_file(file.path()));
  REQUIRE(platform.nodes.size() == 3);
  CHECK(platform.nodes[0].name == "array");
  CHECK(platform.node("client").cores == 8);
  CHECK(platform.node("client").power.idle == Watts{100.5});
  CHECK(platform.node("client").power.epsilon == Watts{120});
  CHECK(platform.node("client").power.all_cores == Watts{200});
  CHECK(platform.node("array").power.epsilon == Watts{10});  // idle:all_cores
  CHECK(platform.node("bare").power.all_cores == Watts{0});
  REQUIRE(platform.links.size() == 3);
  CHECK(platform.link("backplane").bandwidth == Bandwidth{12.3e9});
  CHECK(platform.link("cable_UP").bandwidth == Bandwidth{3.125e9});
  CHECK(platform.link("cable_DOWN").latency == Duration{1500000});
  const auto& there = platform.route("client", "array");
  REQUIRE(there.links.size() == 2);
  CHECK(platform.links[there.links[0]].name == "cable_UP");
  CHECK(platform.links[there.links[1]].name == "backplane");
  CHECK(there.latency == Duration{1507000});
  CHECK(platform.links[platform.route("array", "client").links[1]].name == "cable_DOWN");
}

TEST_CASE("beside a platform file there are no nodes, links or links of routes") {
  const TemporaryFile file(xml(two_hosts));
  PlatformConfig config = from_file(file.path());
  std::string expected;
  SECTION("node") { config.nodes = {{"x", 1, {}}}, expected = "none may be given beside"; }
  SECTION("link") { config.links = {{"x", {1}, {}}}, expected = "none may be given beside"; }
  SECTION("links") {
    config.routes[0].links = {"cable"}, expected = "gets its links from the file";
  }
  SECTION("unknown host") { config.routes[0].to = "arry", expected = "no host 'arry'"; }
  SECTION("no route") {
    config.routes[0].to = "bare", expected = "no links on the route from 'client' to 'bare'";
  }
  SECTION("twice") { config.routes.push_back(config.routes[0]), expected = "is declared twice"; }
  CHECK_THAT(refusal(config), Contains(expected));
}

TEST_CASE("a broken platform file is refused with SimGrid's reason, and the process lives on") {
  const auto zone = [](const std::string& content) {
    return xml("<zone id=\"z\" routing=\"Full\">" + content + "</zone>");
  };
  const auto [text, expected] = GENERATE_COPY(table<std::string, std::string>({
      {"", "EOF"},
      {"hello", "Unexpected character"},
      {xml(two_hosts).substr(0, 300), "EOF"},
      {xml("<zone id=\"z\" routing=\"Banana\"></zone>"), "Not a valid model"},
      {zone("<host id=\"client\" speed=\"1Gf\" core=\"0\"/>"), "at least one core"},
      {zone("<host id=\"client\" sped=\"1Gf\"/>"), "sped"},
      {zone("<host id=\"client\" speed=\"1Gparsec\"/>"), "unknown unit"},
      {zone("<host id=\"a\" speed=\"1f\"/><host id=\"a\" speed=\"1f\"/>"), "second host named 'a'"},
      {zone("<link id=\"l\" bandwidth=\"0\" latency=\"1us\"/>"), "bandwidth of 0 B/s"},
      {zone("<link id=\"l\" bandwidth=\"1GBps\" latency=\"2000s\"/>"), "0 to 1000 s"},
      {xml(R"(<zone id="z" routing="Wifi"><prop id="access_point" value="ap"/>
              <router id="ap"/><host id="client" speed="1f"/>
              <link id="air" bandwidth="1Bps,2Bps" latency="0ms" sharing_policy="WIFI"/>
              </zone>)"),
       "create_wifi_link"},
      {zone("<host id=\"a\" speed=\"1f\"><prop id=\"wattage_per_state\" value=\"1:x:2\"/></host>"),
       "1:x:2"},
      {zone(
           "<host id=\"a\" speed=\"1f\"><prop id=\"wattage_per_state\" value=\"1:2:3:4\"/></host>"),
       "1:2:3:4"},
      {zone("<host id=\"a\" speed=\"1f\"><prop id=\"wattage_per_state\" value=\"1\"/></host>"),
       "is not idle:epsilon:all"},
  }));
  const TemporaryFile file(text);
  const std::string said = refusal(from_file(file.path()));
  CHECK_THAT(said, Contains(file.path()) && Contains(expected));
  CHECK(load_simgrid_platform(PlatformConfig{}).nodes.empty());
}

TEST_CASE("a platform file that is not there is named") {
  CHECK_THAT(refusal(from_file("/no/such/platform.xml")), Contains("/no/such/platform.xml"));
}
