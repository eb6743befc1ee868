#include "sim/scenario/reading.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sim/run/experiment.hpp"
#include "tests/support/small_scenario.hpp"

using namespace storcast;
using testing::small_text;

namespace {

// Values that are right, at the edge, or wrong, for each path that a scenario has.
struct Field {
  const char* path;
  std::vector<const char*> values;
};

const std::vector<Field>& fields() {
  static const std::vector<Field> all{
      {"system.hosts.host.cores", {"1", "1024", "0", "1025", "x"}},
      {"system.hosts.host.ports.count", {"1", "2", "3", "64", "0", "1.5"}},
      {"system.hosts.host.ports.rate", {"10Mb/s", "800Gb/s", "1kb/s", "25"}},
      {"system.hosts.host.ports.mtu", {"576", "1500", "9600", "9601"}},
      {"system.hosts.host.ports.adapter_latency", {"0s", "1ms", "2ms"}},
      {"system.hosts.host.ports.cable_latency", {"0s", "2ms", "10ms", "-1s"}},
      {"system.fabric.protocol",
       {"nvme_rdma", "nvme_tcp", "iscsi", "iser", "fc_scsi", "fc_nvme", "nfs", "smb", "gpudirect"}},
      {"system.fabric.stack.queue_depth", {"1", "16", "65536", "0"}},
      {"system.fabric.stack.rdma_read_depth", {"1", "16", "1024", "0"}},
      {"system.hosts.host.ports.kind", {"ethernet", "fc", "tin"}},
      {"system.hosts.host.ports.credits", {"8", "null"}},
      {"system.fabric.stack.initiator", {"0s", "1ms", "1s"}},
      {"system.fabric.stack.in_capsule", {"0B", "1MiB"}},
      {"system.arrays.array.controllers.a.cores", {"1", "256", "0"}},
      {"system.arrays.array.controllers.a.read_fixed", {"0s", "10ms"}},
      {"system.arrays.array.controllers.a.write_page", {"0s", "1ms"}},
      {"system.arrays.array.controllers.a.acknowledge_share", {"5%", "1", "0"}},
      {"system.arrays.array.controllers.a.outstanding_cost", {"0s", "1ns", "100ns"}},
      {"system.arrays.array.controllers.b", {"{cores: 1}", "3"}},
      {"system.arrays.array.controllers", {"{a: {cores: 2}}", "{}"}},
      {"system.arrays.array.cache.size", {"1MiB", "10TB", "1KiB"}},
      {"system.arrays.array.cache.read_share", {"0", "1", "50%", "2"}},
      {"system.arrays.array.cache.dirty_limit", {"1%", "100%", "0"}},
      {"system.arrays.array.cache.destage_window", {"1MiB", "1TB", "4KiB"}},
      {"system.arrays.array.cache.condition", {"steady", "empty", "full"}},
      {"system.arrays.array.cache.mirror_rate", {"100MB/s", "1TB/s"}},
      {"system.arrays.array.pools.a.raid", {"raid0", "raid1", "raid5", "raid6", "raid10", "raid7"}},
      {"system.arrays.array.pools.a.drives", {"1", "2", "3", "4", "6", "7", "1024", "0"}},
      {"system.arrays.array.pools.a.strip", {"4KiB", "64KiB", "16MiB", "12KiB", "5000B"}},
      {"system.arrays.array.pools.a.hot_spares", {"0", "1", "64", "65"}},
      {"system.arrays.array.pools.a.formatting", {"0B", "1%", "1GiB", "60%", "4TB", "a bit"}},
      {"system.arrays.array.pools.a.groups", {"1", "2", "0"}},
      {"system.arrays.array.pools.a.woven_spares", {"0", "1", "9"}},
      {"system.arrays.array.chassis.bays", {"11", "26", "10", "0"}},
      {"system.arrays.array.pools.a.controller", {"a", "b", "c"}},
      {"system.arrays.array.pools.b.controller", {"a", "b"}},
      {"system.arrays.array.pools.b.drive",
       {"{model: null_drive, service_time: 10s, service_cv: 1, capacity: 1TB}",
        "{model: null_drive, service_time: 1ns, service_cv: 0.3, capacity: 1PB}",
        "{model: null_drive, service_time: 100us, capacity: 1MB}",
        "{use: drives/hdd-nearline-16tb}", "{use: drives/hdd-nearline-16tb, rpm: 100}",
        "{model: hdd, capacity: 16TB}", "{model: tape}"}},
      {"system.arrays.array.pools.a.drive.raw_capacity",
       {"7681GB", "7680000000001B", "2PB", "1TB"}},
      {"system.arrays.array.pools.a.drive.dies", {"1", "4096"}},
      {"system.arrays.array.pools.a.drive.write_rate", {"10MB/s", "100GB/s"}},
      {"system.arrays.array.pools.a.drive.write_buffer", {"64KiB", "4GB"}},
      {"system.arrays.array.pools.a.drive.jitter_cv", {"0.01", "1", "0"}},
      {"system.arrays.array.volumes.per_pool", {"1", "3", "1024", "0"}},
      {"system.arrays.array.volumes.size", {"1MiB", "100GB", "1073741825B", "1PB"}},
      {"workloads.main.rw",
       {"read", "write", "randread", "randwrite", "rw", "readwrite", "randrw", "randraed"}},
      {"workloads.main.bs", {"512B", "4KiB", "4608B", "64KiB", "1MiB", "64MiB", "100B", "65MiB"}},
      {"workloads.main.bssplit",
       {"512B/50:4608B/50", "4KiB/60:64KiB/40", "1MiB/0:4KiB/100", "4KiB/10"}},
      {"workloads.main.bs", {"null"}},
      {"workloads.main.rwmixread", {"0", "70", "100%", "101"}},
      {"workloads.main.random_distribution",
       {"random", "zipf:1", "zipf:5", "zipf:0.01", "pareto:0.5", "pareto:0.99", "normal:0.1",
        "normal:100", "zipf", "cauchy:1"}},
      {"workloads.main.iodepth", {"1", "32", "65536", "0", "null"}},
      {"workloads.main.numjobs", {"1", "16", "60000", "0"}},
      {"workloads.main.jobs", {"total", "per_volume", "each"}},
      {"workloads.main.arrival", {"closed", "poisson", "bursts"}},
      {"workloads.main.rate_iops", {"0.001", "1k", "1G", "0", "-1"}},
      {"workloads.main.thinktime", {"0s", "1ms", "3600s"}},
      {"workloads.main.span", {"512B", "4KiB", "1MiB", "1TiB", "1PB"}},
      {"workloads.main.volumes", {"all", "a", "b.1", "[a.0, b]", "c", "[]", "[all, all]"}},
      {"workloads.other",
       {"{host: host, rw: randwrite, bs: 8KiB}", "{host: x, rw: read, bs: 4KiB}",
        "{host: host, rw: randrw, bs: 1MiB, arrival: poisson, rate_iops: 10}",
        "{host: host, rw: rw, rwmixread: 100, bssplit: '512B/1:64MiB/99', volumes: b}"}},
      {"run.limit.simulated", {"1ms", "1s", "1000000s", "0s"}},
      {"run.limit.ios", {"1000", "100G", "10"}},
      {"run.warm_up", {"0s", "1ms", "10s"}},
      {"run.seed", {"0", "9000000000000000", "-1"}},
      {"timeline",
       {"[{at: 1s, fail: system.arrays.array.pools.a.drives.0}]",
        "[{at: 0s, fail: system.arrays.array.controllers.a}]",
        "[{at: 1ms, set: {workloads.main.iodepth: 64}}]",
        "[{at: 1ms, set: {workloads.main.rwmixread: 0}}]", "[{at: 100000000s, fail: x}]"}},
  };
  return all;
}

// One to four changes of the small scenario, drawn by `random`.
std::vector<Override> mutation(std::mt19937_64& random) {
  std::vector<Override> sets;
  const std::size_t count = 1 + random() % 4;
  for (std::size_t i = 0; i < count; ++i) {
    const Field& field = fields()[random() % fields().size()];
    sets.push_back({field.path, field.values[random() % field.values.size()]});
  }
  return sets;
}

std::string in_words(const std::vector<Override>& sets) {
  std::string text;
  for (const Override& set : sets) text += " --set '" + set.path + "=" + set.value + "'";
  return text;
}

// True if the text was accepted; anything but a scenario or a ScenarioError fails the test.
bool accepted(const std::string& text, const std::vector<Override>& sets, Scenario& scenario) {
  try {
    scenario = parse_scenario(text, "mutant.yaml", sets);
    return true;
  } catch (const ScenarioError& error) {
    REQUIRE_FALSE(error.problems().empty());
    return false;
  }
}

}  // namespace

namespace {

struct Refusal {
  std::vector<Override> sets;
  const char* rule;      // a piece of it
  const char* accepted;  // one of the accepted words; nullptr: not looked at
};

// Fails unless one problem has the piece of the rule and the word.
void check_refused(const Refusal& refusal) {
  INFO(in_words(refusal.sets));
  try {
    static_cast<void>(parse_scenario(small_text, "small.yaml", refusal.sets));
    FAIL("accepted");
  } catch (const ScenarioError& error) {
    INFO(error.what());
    bool found = false;
    for (const Problem& p : error.problems()) {
      if (p.rule.find(refusal.rule) == std::string::npos) continue;
      const auto& words = p.accepted;
      found = found || refusal.accepted == nullptr ||
              std::find(words.begin(), words.end(), refusal.accepted) != words.end();
    }
    CHECK(found);
  }
}

const std::string array = "system.arrays.array";

}  // namespace

TEST_CASE("unknown keys are refused at every level, with the nearest that exist") {
  for (const Refusal& r : std::vector<Refusal>{
           {{{"systems", "{}"}}, "unknown key 'systems'", "system"},
           {{{"system.array", "{}"}}, "unknown key 'array'", "arrays"},
           {{{"system.hosts.host.core", "4"}}, "core", nullptr},
           {{{"system.hosts.host.ports.speed", "1"}}, "speed", nullptr},
           {{{"system.fabric.protokol", "x"}}, "unknown key 'protokol'", "protocol"},
           {{{"system.fabric.stack.mtu", "1500"}}, "mtu", nullptr},
           {{{array + ".pool", "{}"}}, "unknown key 'pool'", "pools"},
           {{{array + ".controllers.a.core", "4"}}, "core", nullptr},
           {{{array + ".cache.sise", "1GiB"}}, "sise", nullptr},
           {{{array + ".chassis.fan", "1"}}, "fan", nullptr},
           {{{array + ".pools.a.level", "raid6"}}, "level", nullptr},
           {{{array + ".pools.a.drive.planes", "4"}}, "planes", nullptr},
           {{{array + ".pools.a.hot_spare", "1"}}, "'hot_spare' is unknown", "hot_spares"},
           {{{array + ".volumes.count", "4"}}, "count", nullptr},
           {{{"workloads.main.blocksize", "4KiB"}}, "blocksize", nullptr},
           {{{"run.seeds", "1"}}, "seeds", nullptr},
           {{{"run.precision.p95", "1%"}}, "p95", nullptr},
           {{{"run.limit.wall", "1s"}}, "wall", nullptr},
           {{{"timeline", "[{at: 1s, fails: x}]"}}, "unknown key 'fails'", "fail"},
       }) {
    check_refused(r);
  }
}

TEST_CASE("missing parts are refused") {
  for (const Refusal& r : std::vector<Refusal>{
           {{{"storcast", "2"}}, "version '2'", "1"},
           {{{"system", ""}}, "system", nullptr},
           {{{"system", "{}"}}, "a map is wanted", nullptr},
           {{{"system.hosts", "{}"}}, "a map is wanted", nullptr},
           {{{"system.hosts.host.ports", ""}}, "a map is wanted", nullptr},
           {{{"system.hosts.host", "{ports: {count: 2, rate: 25Gb/s}}"}}, "cores", nullptr},
           {{{"system.hosts.host", "{cores: 4}"}}, "ports is missing", nullptr},
           {{{"system.fabric", "{kind: direct}"}}, "protocol is missing", "nvme_rdma"},
           {{{"system.arrays", "{array: {controllers: {a: {cores: 4}}}}"}},
            "cache is missing",
            nullptr},
           {{{array + ".pools", "{}"}}, "a map is wanted", nullptr},
           {{{array + ".pools.a", "{raid: raid6, drives: 6, controller: a}"}},
            "drive is missing",
            nullptr},
           {{{array + ".pools.a.drive", "{dies: 4}"}}, "model is missing", "ssd"},
           {{{array + ".volumes", "{per_pool: 2}"}}, "size", nullptr},
           {{{"workloads", "{}"}}, "a map is wanted", nullptr},
           {{{"workloads.main", "{rw: read, bs: 4KiB}"}}, "host", nullptr},
           {{{"workloads.main", "{host: host, bs: 4KiB}"}}, "rw", nullptr},
           {{{"workloads.main", "{host: host, rw: read}"}}, "bs is missing", "4KiB"},
           {{{"workloads.main.bs", "null"}}, "bs is missing", "4KiB"},
           {{{"timeline", "[{fail: system.arrays.array.controllers.a}]"}},
            "at is missing",
            nullptr},
           {{{"timeline", "[{at: 1s}]"}}, "either fail or set", nullptr},
       }) {
    check_refused(r);
  }
}

TEST_CASE("wrong units, ranges and words are refused") {
  for (const Refusal& r : std::vector<Refusal>{
           {{{"system.hosts.host.cores", "0"}}, "cores", nullptr},
           {{{"system.hosts.host.cores", "4.5"}}, "cores", nullptr},
           {{{"system.hosts.host.ports.rate", "25"}}, "rate", nullptr},
           {{{"system.hosts.host.ports.rate", "25GiB"}}, "rate", nullptr},
           {{{"system.fabric.kind", "switched"}}, "not modelled yet", "direct"},
           {{{"system.fabric.kind", ""}}, "system.fabric.kind: a word is wanted", "direct"},
           {{{"system.fabric.protocol", ""}}, "protocol: a word is wanted", "nvme_tcp"},
           {{{"system.fabric.protocol", "nvme_tpc"}}, "not a protocol", "nvme_tcp"},
           {{{"system.fabric.stack.use", "protocols/nvme-tcp"}}, "do not agree", nullptr},
           {{{"system.fabric.stack.use", "protocols/iser"}}, "do not agree", nullptr},
           {{{"system.fabric.protocol", "fc_scsi"}}, "needs fc ports", nullptr},
           {{{"system.hosts.host.ports.kind", "fc"}}, "needs ethernet ports", nullptr},
           {{{"system.hosts.host.ports.credits", "8"}}, "credits belong to ports", nullptr},
           {{{"system.arrays.array.use", "arrays/qsan"}},
            "not a product",
            "arrays/qsan-xn4226d-4c"},
           {{{"profile", "qsan-xn4226"}}, "not a profile", "qsan-xn4226d"},
           {{{"profile", "[a]"}}, "not a profile", nullptr},
           {{{array + ".cache.read_share", "150%"}}, "read_share", nullptr},
           {{{array + ".cache.condition", "warm"}}, "condition", "steady"},
           {{{array + ".pools.a.raid", "raid7"}}, "raid", "raid6"},
           {{{array + ".pools.a.strip", "5000B"}}, "multiple of 4KiB", nullptr},
           {{{array + ".pools.a.controller", "c"}}, "no controller 'c'", "a"},
           {{{array + ".pools.a.drive.model", "tape"}}, "not a drive model", "ssd"},
           {{{array + ".pools.a.drive.raw_capacity", "7680GB"}}, "at least 1 %", nullptr},
           {{{array + ".volumes.size", "1100000000001B"}}, "multiple of 512B", nullptr},
           {{{array + ".volumes.size", "10"}}, "size", nullptr},
           {{{"workloads.main.host", "hots"}}, "no host 'hots'", "host"},
           {{{"workloads.main.volumes", "c.0"}}, "no volume 'c.0'", nullptr},
           {{{"workloads.main.volumes", "[a.0, a]"}}, "a volume is named twice", nullptr},
           {{{"workloads.main.volumes", "a.2"}}, "no volume 'a.2'", "a.1"},
           {{{"workloads.main.volumes", "a.00"}}, "no volume 'a.00'", nullptr},
           {{{"workloads.main.volumes", "[]"}}, "one to", nullptr},
           {{{"workloads.main.rw", "randraed"}}, "'randraed' is unknown", "randread"},
           {{{"workloads.main.bs", "4000B"}}, "multiple of 512B", nullptr},
           {{{"workloads.main.bs", "128MiB"}}, "bs", nullptr},
           {{{"workloads.main.bs", "4"}}, "bs", nullptr},
           {{{"workloads.main.random_distribution", "zip:1"}}, "is unknown", "zipf:1.1"},
           {{{"workloads.main.random_distribution", "zipf"}},
            "zipf needs a parameter between 0.01 and 5",
            "zipf:1.1"},
           {{{"workloads.main.random_distribution", "pareto:1"}}, "needs a parameter", nullptr},
           {{{"workloads.main.arrival", "bursty"}}, "arrival", "poisson"},
           {{{"workloads.main.jobs", "each"}}, "jobs", "per_volume"},
           {{{"workloads.main.numjobs", "0"}}, "numjobs", nullptr},
           {{{"run.limit.simulated", "0s"}}, "simulated", nullptr},
           {{{"run.limit.ios", "10"}}, "ios", nullptr},
           {{{"run.precision.mean", "0"}}, "mean", nullptr},
           {{{"run.seed", "-1"}}, "seed", nullptr},
       }) {
    check_refused(r);
  }
}

TEST_CASE("what does not go together is refused") {
  for (const Refusal& r : std::vector<Refusal>{
           {{{"workloads.main.arrival", "poisson"}, {"workloads.main.rate_iops", "1k"}},
            "iodepth is refused with arrival: poisson",
            nullptr},
           {{{"workloads.main", "{host: host, rw: read, bs: 4KiB, arrival: poisson}"}},
            "rate_iops is missing",
            "100k"},
           {{{"workloads.main.rate_iops", "1k"}}, "a closed load has an iodepth", nullptr},
           {{{"workloads.main",
              "{host: host, rw: read, bs: 4KiB, arrival: poisson, rate_iops: 1k, thinktime: 1ms}"}},
            "thinktime belongs to a closed load",
            nullptr},
           {{{"workloads.main.rwmixread", "70"}}, "rwmixread belongs to rw or randrw", "randrw"},
           {{{"workloads.main.rw", "randrw"}, {"workloads.main.rwmixread", "170"}},
            "per cent of reads",
            "70"},
           {{{"workloads.main.bssplit", "4KiB/100"}}, "exclude each other", nullptr},
           {{{"workloads.main.rw", "read"}, {"workloads.main.random_distribution", "zipf:1.1"}},
            "belongs to random I/O",
            nullptr},
           {{{"workloads.main.span", "2KiB"}}, "does not fit into the span", nullptr},
           {{{"workloads.main.span", "2TiB"}}, "within a volume", nullptr},
           {{{"workloads.main.span", "4097B"}}, "multiple of 512B", nullptr},
           {{{"run.warm_up", "5s"}}, "warm_up must be shorter", nullptr},
           {{{"workloads.main.rw", "randwrite"}, {array + ".cache.read_share", "100%"}},
            "room for dirty data",
            nullptr},
           {{{"workloads.main.rw", "rw"},
             {"workloads.main.rwmixread", "100"},
             {"workloads.main.bs", "2MiB"},
             {array + ".cache.destage_window", "1MiB"}},
            "room for dirty data",
            nullptr},
           {{{"system.hosts.host.ports.count", "1"}}, "no cable goes from host host", nullptr},
       }) {
    check_refused(r);
  }
}

TEST_CASE("bad splits of sizes are refused") {
  for (const char* split : {"4KiB/60", "4KiB/60:64KiB/50", "4KiB", "4KiB/60:", ":", "/100",
                            "4KiB/x", "4KiB/-10:64KiB/110", "1000B/100", "128MiB/100"}) {
    INFO(split);
    CHECK_THROWS_AS(parse_scenario(small_text, "small.yaml",
                                   {{"workloads.main.bs", "null"},
                                    {"workloads.main.bssplit", std::string("\"") + split + "\""}}),
                    ScenarioError);
  }
}

TEST_CASE("pools need the drives of their level") {
  for (const auto& [level, drives, rule] :
       std::vector<std::array<const char*, 3>>{{"raid1", "1", "at least 2"},
                                               {"raid1", "3", "one pair"},
                                               {"raid5", "2", "at least 3"},
                                               {"raid6", "3", "at least 4"},
                                               {"raid10", "2", "at least 4"},
                                               {"raid10", "7", "even number"},
                                               {"raid0", "0", "drives"},
                                               {"raid6", "1025", "drives"}}) {
    check_refused({{{array + ".pools.a.raid", level},
                    {array + ".pools.a.drives", drives},
                    {array + ".volumes.size", "1GiB"}},
                   rule,
                   nullptr});
  }
  for (const auto& [level, drives] : std::vector<std::array<const char*, 2>>{
           {"raid0", "1"}, {"raid1", "2"}, {"raid5", "3"}, {"raid6", "4"}, {"raid10", "4"}}) {
    CHECK_NOTHROW(parse_scenario(small_text, "small.yaml",
                                 {{array + ".pools.a.raid", level},
                                  {array + ".pools.a.drives", drives},
                                  {array + ".volumes.size", "1GiB"}}));
  }
}

TEST_CASE("volumes must fit into their pools") {
  check_refused({{{array + ".volumes.size", "20TB"}}, "do not fit into pool a", nullptr});
  // RAID 6 of 6 holds four drives of 7,680 GB less 32 MiB, RAID 5 of 5 as many: two volumes of
  // 2 x 7,679,966,445,568 bytes each, and not a block more.
  CHECK_NOTHROW(
      parse_scenario(small_text, "small.yaml", {{array + ".volumes.size", "15359932891136B"}}));
  check_refused({{{array + ".volumes.size", "15359932891648B"}},
                 "do not fit into pool a: raid6 of 6 drives holds 30.7 TB, 1024 bytes too few",
                 nullptr});
}

TEST_CASE("what no machine could hold is refused before it is built") {
  const std::string null_drive = "{model: null_drive, service_time: 1s, capacity: 1PB}";
  for (const Refusal& r : std::vector<Refusal>{
           {{{"workloads.main.iodepth", "65536"}, {"workloads.main.numjobs", "100"}},
            "I/Os outstanding",
            nullptr},
           {{{"workloads.main.numjobs", "60000"}}, "connections", nullptr},
           {{{"workloads.main.iodepth", "65536"}, {"workloads.main.bs", "64MiB"}},
            "1 TiB",
            nullptr},
           {{{"workloads.main.iodepth", "60000"},
             {"workloads.main.bs", "1MiB"},
             {array + ".pools.a.strip", "4KiB"}},
            "commands to drives at once",
            nullptr},
           {{{array + ".pools.a.drives", "1024"}, {array + ".pools.a.drive.dies", "4096"}},
            "dies",
            nullptr},
           {{{array + ".volumes", "{per_pool: 1024, size: 1PB}"},
             {array + ".pools.a.drives", "1024"},
             {array + ".pools.b.drives", "1024"},
             {array + ".pools.a.drive", null_drive},
             {array + ".pools.b.drive", null_drive}},
            "100PB",
            nullptr},
           {{{"workloads.main.iodepth", "65536"}, {array + ".pools.a.drive", null_drive}},
            "1,000,000 s",
            nullptr},
           {{{"workloads.main.rw", "randwrite"},
             {array + ".cache.size", "10TB"},
             {array + ".cache.condition", "empty"},
             {array + ".pools.a.drive.write_rate", "10MB/s"}},
            "1,000,000 s",
            nullptr},
           {{{"system.hosts.host.ports.cable_latency", "10ms"}}, "cable_latency", nullptr},
       }) {
    check_refused(r);
  }
}

TEST_CASE("names are plain words") {
  for (const char* name :
       {"a b", "\"x\\n\"", "x/y", "é", "a23456789012345678901234567890123456789012"}) {
    INFO(name);
    const std::string text =
        std::string("storcast: 1\nworkloads: {") + name + ": {host: host, rw: read, bs: 4KiB}}\n" +
        small_text.substr(small_text.find("system:"),
                          small_text.find("workloads:") - small_text.find("system:"));
    try {
      static_cast<void>(parse_scenario(text, "names.yaml"));
      FAIL("accepted");
    } catch (const ScenarioError& error) {
      CHECK(std::string(error.what()).find("a name has letters") != std::string::npos);
    }
  }
}

TEST_CASE("timelines with targets that do not exist or cannot change are refused") {
  const auto fail = [](const std::string& target) { return "[{at: 1s, fail: " + target + "}]"; };
  const auto set = [](const std::string& change) { return "[{at: 1s, set: {" + change + "}}]"; };
  for (const auto& [text, rule] : std::vector<std::pair<std::string, const char*>>{
           {"5", "a list"},
           {"[5]", "an entry is a map"},
           {"[{at: soon, fail: system.arrays.array.controllers.a}]", "timeline"},
           {"[{at: -1s, fail: system.arrays.array.controllers.a}]", "timeline"},
           {"[{at: [1s], fail: system.arrays.array.controllers.a}]", "timeline"},
           {"[{at: 1s, fail: system.arrays.array.controllers.a, set: {x: 1}}]",
            "either fail or set"},
           {fail("system.arrays.array.pools.a.drives.6"), "drives 0 to 5"},
           {fail("system.arrays.array.pools.a.drives.-1"), "drives 0 to 5"},
           {fail("system.arrays.array.pools.a.drives.x"), "drives 0 to 5"},
           {fail("system.arrays.array.pools.c.drives.0"), "no pool 'c'"},
           {fail("system.arrays.array.pools.a"), "cannot fail"},
           {fail("system.arrays.array.controllers.c"), "cannot fail"},
           {fail("system.arrays.other.controllers.a"), "cannot fail"},
           {fail("system.hosts.host"), "cannot fail"},
           {fail("[a, b]"), "cannot fail"},
           {"[{at: 1s, fail: system.arrays.array.controllers.a},"
            " {at: 2s, fail: system.arrays.array.controllers.a}]",
            "failed already"},
           {"[{at: 1s, set: 5}]", "a map of paths"},
           {set("workloads.main.bs: 8KiB"), "cannot change"},
           {set("workloads.other.iodepth: 8"), "cannot change"},
           {set("system.hosts.host.cores: 8"), "cannot change"},
           {set("workloads.main.iodepth: 0"), "whole number"},
           {set("workloads.main.iodepth: 1.5"), "whole number"},
           {set("workloads.main.iodepth: 65537"), "whole number"},
           {set("workloads.main.iodepth: many"), "timeline"},
           {set("workloads.main.rate_iops: 5k"), "closed workload has no rate"},
           {set("workloads.main.rwmixread: 50"), "rw or randrw"},
       }) {
    check_refused({{{"timeline", text}}, rule, nullptr});
  }
  const Override mix{"workloads.main.rw", "randrw"};
  check_refused({{mix, {"timeline", set("workloads.main.rwmixread: 101")}}, "0 to 100", nullptr});
  const Override open{"workloads.main",
                      "{host: host, rw: read, bs: 4KiB, arrival: poisson, rate_iops: 1k}"};
  check_refused({{open, {"timeline", set("workloads.main.iodepth: 4")}}, "no iodepth", nullptr});
  check_refused({{open, {"timeline", set("workloads.main.rate_iops: 0")}}, "a rate lies", nullptr});
}

TEST_CASE("an entry beyond the end of the run is warned of") {
  const Scenario s =
      testing::small({{"timeline", "[{at: 100s, fail: system.arrays.array.controllers.a}]"}});
  REQUIRE(s.warnings.size() == 1);
  CHECK(s.warnings[0].find("beyond limit.simulated") != std::string::npos);
}

TEST_CASE("problems carry the place in the file; all are reported together") {
  std::string text = small_text;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("rate: 25Gb/s", "rate: 25");
  replace("raid: raid5", "raid: raid55");
  replace("rw: randread", "rw: randraed");
  replace("ios: 100k", "ios: 1");
  try {
    static_cast<void>(parse_scenario(text, "four.yaml"));
    FAIL("accepted");
  } catch (const ScenarioError& error) {
    INFO(error.what());
    const auto& list = error.problems();
    CHECK(list.size() == 4);
    const auto at = [&](int line, int column) {
      return std::any_of(list.begin(), list.end(), [&](const Problem& p) {
        return p.where.file == "four.yaml" && p.where.line == line && p.where.column == column;
      });
    };
    CHECK(at(7, 31));   // the rate
    CHECK(at(16, 19));  // the level
    CHECK(at(21, 9));   // rw
    CHECK(at(27, 31));  // the limit
  }
}

TEST_CASE("problems of --set name it as their place") {
  try {
    static_cast<void>(
        parse_scenario(small_text, "small.yaml", {{"workloads.main.rw", "randraed"}}));
    FAIL("accepted");
  } catch (const ScenarioError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].where.file == "--set");
    CHECK(error.problems()[0].text == "randraed");
  }
}

TEST_CASE("texts that are no scenarios are refused") {
  for (const char* text :
       {"", "5", "[]", "null", "storcast: 1", "a: {b: [", "{}", "\t", "storcast: [1]"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_scenario(text, "none.yaml"), ScenarioError);
  }
}

TEST_CASE("a mutated scenario is refused with a reason or has an analytic answer", "[slow]") {
  std::mt19937_64 random(20);
  int answered = 0;
  for (int i = 0; i < 800; ++i) {
    const auto sets = mutation(random);
    INFO(in_words(sets));
    Scenario scenario;
    if (!accepted(small_text, sets, scenario)) continue;
    ++answered;
    RunResult result;
    RunOptions analytic;
    analytic.fidelity = Fidelity::analytic;
    REQUIRE_NOTHROW(result = run_scenario(scenario, analytic));
    REQUIRE(result.streams.size() == scenario.workloads.size());
    for (const StreamResult& s : result.streams) {
      CHECK(std::isfinite(s.all.iops.value));
      CHECK(s.all.iops.value > 0);
      CHECK(s.all.mean_s.value >= 0);
    }
  }
  CHECK(answered > 120);
}

TEST_CASE("a damaged text is refused or read, never worse", "[slow]") {
  std::mt19937_64 random(21);
  for (int i = 0; i < 2000; ++i) {
    std::string text = small_text;
    for (std::size_t k = 0; k <= random() % 3; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 12);
          break;
        case 1:
          text.insert(at, 1, "{}[]:,#&*!|>'\"%@-?0 \n\t\xff"[random() % 24]);
          break;
        case 2:
          text[at] = static_cast<char>(random() % 256);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
    }
    INFO(text);
    Scenario scenario;
    accepted(text, {}, scenario);
  }
}
