#include "sim/config/schema.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace storcast {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;

enum class Level { raid0, raid5, raid6 };

struct Params {
  Duration time{};
  Bytes size{};
  Bandwidth rate{};
  Watts power{};
  double number = 0;
  double count = 0;
  double fraction = 0;
  double slope = 0;
  int whole = 0;
  std::int64_t large = 0;
  bool flag = false;
  std::string text;
  Level level = Level::raid0;
  std::optional<Duration> maybe;
  std::vector<Bytes> sizes;
};

// Everything optional, so that each test gives only what it is about.
Schema<Params> sheet() {
  Schema<Params> schema("drive", "a drive for tests");
  schema.optional(&Params::time, 50us, {"time", "time of a read", ""}, {1e-6, 10e-3})
      .optional(&Params::size, Bytes{4096}, {"size", "size of a page", ""}, {512, 1 << 20})
      .optional(&Params::rate, Bandwidth{3.125e9}, {"rate", "rate of the link", ""}, {1e6, {}})
      .optional(&Params::power, Watts{12}, {"power", "power when idle", ""}, {{}, 100})
      .optional(&Params::number, 1.5, {"number", "a number", ""}, {-10, 10})
      .optional(&Params::count, 300e3, {"count", "a count", "count"}, {1, 1e6})
      .optional(&Params::fraction, 0.7, {"fraction", "a share", "fraction"}, {0.1, 0.9})
      .optional(&Params::slope, 0.25, {"slope", "time per byte", "ns/B"}, {0, 100})
      .optional(&Params::whole, 8, {"whole", "a whole number", ""}, {1, 65535})
      .optional(&Params::large, 20'000'000, {"large", "a whole count", "count"}, {0, {}})
      .optional(&Params::flag, true, {"flag", "a switch", ""})
      .optional(&Params::text, "x", {"text", "a text", ""})
      .choice(&Params::level, Level::raid6, {"level", "the level", ""},
              {{"raid0", Level::raid0}, {"raid5", Level::raid5}, {"raid6", Level::raid6}})
      .optional(&Params::maybe, std::nullopt, {"maybe", "an optional time", ""}, {0, 1})
      .optional(&Params::sizes, {}, {"sizes", "some sizes", ""}, {512, 1 << 20});
  return schema;
}

ConfigNode node_of(const std::string& text) {
  Problems problems;
  auto node = parse_yaml(text, "t.yaml", problems);
  for (const auto& problem : problems.list()) INFO(describe(problem));
  REQUIRE(problems.empty());
  return node;
}

Params read(const std::string& text, ReadLog* log = nullptr) {
  Problems problems;
  const Params params = sheet().read(node_of(text), problems, log);
  for (const auto& problem : problems.list()) INFO(describe(problem));
  REQUIRE(problems.empty());
  return params;
}

template <class P>
std::vector<std::string> lines(const Schema<P>& schema, const ConfigNode& node) {
  Problems problems;
  ReadLog log;
  static_cast<void>(schema.read(node, problems, &log));
  std::vector<std::string> out;
  for (const auto& problem : problems.list()) out.push_back(describe(problem));
  return out;
}

// The only problem of a text, as the user sees it.
std::string problem_of(const std::string& text) {
  const auto all = lines(sheet(), node_of(text));
  INFO(text);
  REQUIRE(all.size() == 1);
  return all.front();
}

FieldInfo info_of(const std::string& key) {
  for (const auto& field : sheet().fields()) {
    if (field.key == key) return field;
  }
  FAIL("no field " << key);
  return {};
}

}  // namespace

TEST_CASE("what is not given has its default") {
  const Params params = read("{}");
  CHECK(params.time == Duration(50us));
  CHECK(params.size == Bytes{4096});
  CHECK(params.number == 1.5);
  CHECK(params.flag);
  CHECK(params.text == "x");
  CHECK(params.level == Level::raid6);
  CHECK_FALSE(params.maybe.has_value());
  CHECK(params.sizes.empty());
}

TEST_CASE("each type is read in its own units") {
  const Params params = read(
      "{time: 80us, size: 8KiB, rate: 3GiB/s, power: 1.5W, number: -2.5, count: 20k,\n"
      " fraction: 25%, slope: 3, whole: 16, large: 5M, flag: no, text: \"a b\", level: raid5,\n"
      " maybe: 3ms, sizes: [4KiB, 64KiB]}");
  CHECK(params.time == Duration(80us));
  CHECK(params.size == Bytes{8192});
  CHECK(params.rate.value == 3.0 * (1 << 30));
  CHECK(params.power.value == 1.5);
  CHECK(params.number == -2.5);
  CHECK(params.count == 20e3);
  CHECK(params.fraction == 0.25);
  CHECK(params.slope == 3);
  CHECK(params.whole == 16);
  CHECK(params.large == 5'000'000);
  CHECK_FALSE(params.flag);
  CHECK(params.text == "a b");
  CHECK(params.level == Level::raid5);
  CHECK(params.maybe == Duration(3ms));
  CHECK(params.sizes == std::vector<Bytes>{{4096}, {65536}});
}

TEST_CASE("a number may be followed by the unit of its data sheet and by no other") {
  CHECK(read("slope: 3 ns/B").slope == 3);
  CHECK(read("slope: 3e-1ns/B").slope == 0.3);
  CHECK_THAT(problem_of("slope: 3 us/B"), Contains("slope: '3 us/B' is not a number of ns/B"));
  CHECK_THAT(problem_of("number: 3 s"), Contains("'3 s' is not a plain number"));
  CHECK_THAT(problem_of("number: 300k"), Contains("is not a plain number"));
}

TEST_CASE("a truth value is true, false, yes or no") {
  CHECK(read("flag: true").flag);
  CHECK(read("flag: yes").flag);
  CHECK_FALSE(read("flag: false").flag);
  CHECK_FALSE(read("flag: no").flag);
  for (const char* word : {"on", "True", "1", "y", "maybe", "\"\""}) {
    CHECK_THAT(problem_of(std::string("flag: ") + word), Contains("none of true, false, yes, no"));
  }
}

TEST_CASE("whole numbers have no fraction and no overflow") {
  CHECK_THAT(problem_of("whole: 1.5"), Contains("'1.5' is not a whole number"));
  CHECK_THAT(problem_of("whole: 1k"), Contains("is not a whole number"));
  CHECK_THAT(problem_of("whole: 1e3"), Contains("is not a whole number"));
  CHECK_THAT(problem_of("whole: 4294967297"), Contains("is too large"));
  CHECK_THAT(problem_of("whole: 99999999999999999999"), Contains("is too large"));
  CHECK_THAT(problem_of("large: 1.5"), Contains("is not a whole number"));
  CHECK_THAT(problem_of("large: 9223372036854775808"), Contains("is too large"));
  CHECK_THAT(problem_of("large: 99999999G"), Contains("is too large"));
  CHECK(read("large: 9223372036854775807").large == std::numeric_limits<std::int64_t>::max());
  CHECK(read("large: 1.5k").large == 1500);
}

TEST_CASE("numbers are finite") {
  for (const char* text : {"nan", "inf", "-inf", "infinity", ".inf"}) {
    CHECK_THAT(problem_of(std::string("number: ") + text),
               Contains("not a finite number") || Contains("not a plain number"));
  }
  CHECK_THAT(problem_of("number: 1e999"), Contains("too large"));
  CHECK_THAT(problem_of("count: nan"), Contains("is not a count"));
  CHECK_THAT(problem_of("fraction: inf"), Contains("is not a fraction"));
  CHECK_THAT(problem_of("fraction: 70"), Contains("70% or 0.7"));
}

TEST_CASE("a missing unit is a problem with the rule") {
  CHECK(problem_of("size: 4096") ==
        "t.yaml:1:7: size: '4096' needs a unit: B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB");
  CHECK_THAT(problem_of("time: 50"), Contains("needs a unit: ps"));
  CHECK_THAT(problem_of("rate: 1e9"), Contains("needs a unit: b/s"));
  CHECK_THAT(problem_of("power: 12"), Contains("needs a unit: W"));
  CHECK_THAT(problem_of("sizes: [4KiB, 64]"), Contains("sizes.1: '64' needs a unit"));
}

TEST_CASE("the ends of a range belong to it") {
  CHECK(read("time: 1us").time == Duration(1us));
  CHECK(read("time: 10ms").time == Duration(10ms));
  CHECK(read("size: 512B").size == Bytes{512});
  CHECK(read("whole: 65535").whole == 65535);
  CHECK(read("fraction: 90%").fraction == 0.9);
}

TEST_CASE("a value out of range is a problem that prints the range with units") {
  CHECK(problem_of("time: 999ns") ==
        "t.yaml:1:7: time: '999ns' is out of range: 1.00 us to 10.0 ms");
  CHECK_THAT(problem_of("time: 1s"), Contains("out of range"));
  CHECK_THAT(problem_of("size: 2MiB"), Contains("512 B to 1 MiB"));
  CHECK_THAT(problem_of("rate: 1B/s"), Contains("at least 1 MB/s"));
  CHECK_THAT(problem_of("power: 101W"), Contains("at most 100 W"));
  CHECK_THAT(problem_of("number: -11"), Contains("-10 to 10"));
  CHECK_THAT(problem_of("count: 2M"), Contains("1 to 1.00M"));
  CHECK_THAT(problem_of("fraction: 95%"), Contains("10% to 90%"));
  CHECK_THAT(problem_of("slope: 101"), Contains("0 ns/B to 100 ns/B"));
  CHECK_THAT(problem_of("whole: 0"), Contains("1 to 65535"));
  CHECK_THAT(problem_of("large: -1"), Contains("at least 0"));
  CHECK_THAT(problem_of("maybe: 2s"), Contains("out of range"));
  CHECK_THAT(problem_of("sizes: [4KiB, 1B]"), Contains("sizes.1: '1B' is out of range"));
}

TEST_CASE("an unknown key names the nearest accepted keys") {
  CHECK_THAT(problem_of("tiem: 5us"),
             Contains("t.yaml:1:1: the key 'tiem' is unknown; did you mean time?"));
}

TEST_CASE("an unknown word of a choice names the accepted words") {
  CHECK(problem_of("level: raid7") ==
        "t.yaml:1:8: level: 'raid7' is unknown; did you mean raid0? accepted: raid0, raid5, raid6");
  CHECK_THAT(problem_of("level: [raid5]"), Contains("wants one of raid0, raid5, raid6"));
  CHECK_THAT(problem_of("level:"), Contains("found nothing"));
}

TEST_CASE("a value of the wrong kind says what is wanted and what is there") {
  CHECK_THAT(problem_of("time: [5us]"), Contains("time: wants a time (80us), found a list"));
  CHECK_THAT(problem_of("time:"), Contains("found nothing"));
  CHECK_THAT(problem_of("sizes: 4KiB"), Contains("sizes: wants a list, found the value '4KiB'"));
  CHECK_THAT(problem_of("sizes: [[4KiB]]"), Contains("sizes.0: wants a size"));
  CHECK_THAT(problem_of("text: [a]"), Contains("wants a text"));
  CHECK_THAT(problem_of("whole: []"), Contains("wants a whole number"));
  CHECK_THAT(problem_of("flag: []"), Contains("wants true or false"));
  CHECK_THAT(problem_of("[1, 2]"), Contains("wants a map, found a list"));
  CHECK_THAT(problem_of("x"), Contains("wants a map, found the value 'x'"));
}

TEST_CASE("nothing unsets an optional value and no other") {
  CHECK_FALSE(read("maybe: ~").maybe.has_value());
  CHECK_THAT(problem_of("text: ~"), Contains("found nothing"));
  CHECK_THAT(problem_of("sizes: ~"), Contains("wants a list, found nothing"));
}

TEST_CASE("a missing key is a problem at its map") {
  Schema<Params> schema("drive", "");
  schema.required(&Params::time, {"time", "time of a read", ""})
      .choice(&Params::level, std::nullopt, {"level", "the level", ""}, {{"raid5", Level::raid5}});
  const auto root = node_of("a:\n  b: {}\n");
  const auto all = lines(schema, *root.find("a")->find("b"));
  REQUIRE(all.size() == 2);
  CHECK(all[0] == "t.yaml:2:6: a.b: the key 'time' is missing (time of a read)");
  CHECK_THAT(all[1], Contains("'level' is missing"));
  CHECK(schema.fields()[0].required);
  CHECK(schema.fields()[1].required);
}

TEST_CASE("all problems of a map are reported together") {
  const auto all = lines(sheet(), node_of("{tiem: 1us, size: 4096, whole: x, level: y, flag: on}"));
  CHECK(all.size() == 5);
}

TEST_CASE("a check is asked once everything is right by itself") {
  int asked = 0;
  auto schema = sheet();
  schema.check(
      [&asked](const Params& p) {
        ++asked;
        return p.whole % 2 == 0;
      },
      "whole must be even");
  CHECK(lines(schema, node_of("whole: 4")).empty());
  CHECK(lines(schema, node_of("whole: 5")) ==
        std::vector<std::string>{"t.yaml:1:1: whole must be even"});
  CHECK(asked == 2);
  CHECK(lines(schema, node_of("{whole: 5, size: 1}")).size() == 1);
  CHECK(asked == 2);
}

TEST_CASE("an earlier problem elsewhere does not hide a failed check") {
  auto schema = sheet();
  schema.check([](const Params&) { return false; }, "never");
  Problems problems;
  problems.add({}, "", "elsewhere", {});
  static_cast<void>(schema.read(node_of("{}"), problems));
  CHECK(problems.list().size() == 2);
}

TEST_CASE("a key that others read is let through when it is announced") {
  auto schema = sheet();
  CHECK(lines(schema, node_of("ports: x")).size() == 1);
  schema.allow("ports");
  CHECK(lines(schema, node_of("ports: {any: [thing]}")).empty());
  CHECK_THAT(lines(schema, node_of("portss: x")).at(0), Contains("did you mean ports?"));
}

TEST_CASE("beside the name of an unknown product no key is missing") {
  Schema<Params> schema("s", "s");
  schema.required(&Params::whole, {"whole", "a number", ""});
  CHECK(lines(schema, node_of("{}")).size() == 1);
  CHECK(lines(schema, node_of("use: things/unknown")).empty());
  CHECK(lines(schema, node_of("{use: things/unknown, hole: 4}")).size() == 1);
}

TEST_CASE("a value with its provenance is read and logged") {
  ReadLog log;
  const auto params = read(
      "time: {value: 50us, range: [40us, 58us], source: \"paper, table 2\", confidence: derived,"
      " note: as printed}\nsizes: {value: [4KiB, 8KiB], confidence: assumption}\n"
      "level: {value: raid5, confidence: datasheet}\nwhole: 4\n",
      &log);
  CHECK(params.time == Duration(50us));
  CHECK(params.sizes.size() == 2);
  CHECK(params.level == Level::raid5);
  REQUIRE(log.size() == 3);
  CHECK(log[0].path == "time");
  CHECK(log[0].key == "time");
  CHECK(log[0].value == "50us");
  CHECK(log[0].source == "paper, table 2");
  CHECK(log[0].confidence == "derived");
  CHECK(log[0].note == "as printed");
  CHECK(log[1].key == "level");
  CHECK(log[1].confidence == "datasheet");
  CHECK(log[2].key == "sizes");
  CHECK(log[2].value == "[4KiB, 8KiB]");
  CHECK(log[2].source.empty());
}

TEST_CASE("each word of confidence is accepted") {
  for (const char* word : {"published", "literature", "derived", "datasheet", "assumption"}) {
    ReadLog log;
    static_cast<void>(read("whole: {value: 3, confidence: " + std::string(word) + "}", &log));
    CHECK(log.at(0).confidence == word);
  }
}

TEST_CASE("a faulty provenance is a problem") {
  CHECK_THAT(problem_of("time: {source: x}"), Contains("time: is a map without a value"));
  CHECK_THAT(problem_of("level: {source: x}"), Contains("level: is a map without a value"));
  CHECK_THAT(problem_of("time: {value: 5us, sorce: x}"),
             Contains("time: the key 'sorce' is unknown; did you mean source?"));
  CHECK_THAT(problem_of("time: {value: 5us, confidence: guess}"),
             Contains("time.confidence: 'guess' is unknown; accepted:") && Contains("assumption"));
  CHECK_THAT(problem_of("time: {value: 5us, source: [x]}"), Contains("time.source: wants a text"));
  CHECK_THAT(problem_of("time: {value: 5us, note: {a: b}}"), Contains("time.note: wants a text"));
  CHECK_THAT(problem_of("time: {value: 5}"), Contains("time.value: '5' needs a unit"));
  CHECK_THAT(problem_of("time: {value: 5s}"), Contains("time.value: '5s' is out of range"));
  CHECK_THAT(problem_of("time: {value: {value: 5us}}"), Contains("time.value: wants a time"));
}

TEST_CASE("the range of a provenance holds its value") {
  CHECK(read("time: {value: 40us, range: [40us, 58us]}").time == Duration(40us));
  CHECK_THAT(problem_of("time: {value: 60us, range: [40us, 58us]}"),
             Contains("time.value: '60.0 us' is out of range: 40.0 us to 58.0 us"));
  CHECK_THAT(problem_of("sizes: {value: [4KiB, 16KiB], range: [1KiB, 8KiB]}"),
             Contains("is out of range"));
  CHECK_THAT(problem_of("time: {value: 50us, range: [58us, 40us]}"), Contains("lies above"));
  CHECK_THAT(problem_of("time: {value: 50us, range: [40us]}"), Contains("[low, high]"));
  CHECK_THAT(problem_of("time: {value: 50us, range: 40us}"), Contains("[low, high]"));
  CHECK_THAT(problem_of("time: {value: 50us, range: [40, 58us]}"),
             Contains("time.range.0: '40' needs a unit"));
  CHECK_THAT(problem_of("text: {value: a, range: [a, b]}"), Contains("only a quantity"));
  CHECK_THAT(problem_of("flag: {value: yes, range: [no, yes]}"), Contains("only a quantity"));
  CHECK_THAT(problem_of("level: {value: raid5, range: [raid0, raid6]}"),
             Contains("only a quantity"));
}

TEST_CASE("a faulty value is not logged") {
  for (const char* text :
       {"time: {value: 5, source: x}", "time: {value: 5us, sorce: x}",
        "level: {value: x, source: y}", "time: {value: 50us, range: [1us, 2us]}"}) {
    Problems problems;
    ReadLog log;
    static_cast<void>(sheet().read(node_of(text), problems, &log));
    INFO(text);
    CHECK(log.empty());
  }
}

TEST_CASE("the data sheet lists key, meaning, unit, default and range") {
  const auto time = info_of("time");
  CHECK(time.meaning == "time of a read");
  CHECK(time.unit == "time");
  CHECK(time.default_text == "50.0 us");
  CHECK(time.range_text == "1.00 us to 10.0 ms");
  CHECK_FALSE(time.required);
  CHECK(info_of("size").default_text == "4 KiB");
  CHECK(info_of("rate").default_text == "3.125 GB/s");
  CHECK(info_of("power").default_text == "12 W");
  CHECK(info_of("number").default_text == "1.5");
  CHECK(info_of("count").default_text == "300k");
  CHECK(info_of("fraction").default_text == "70%");
  CHECK(info_of("slope").default_text == "0.25 ns/B");
  CHECK(info_of("whole").range_text == "1 to 65535");
  CHECK(info_of("flag").default_text == "true");
  CHECK(info_of("maybe").default_text == "none");
  CHECK(info_of("sizes").default_text == "[]");
  CHECK(info_of("sizes").unit == "list of size");
  CHECK(info_of("level").default_text == "raid6");
  CHECK(info_of("level").range_text == "raid0 | raid5 | raid6");
}

TEST_CASE("a default is printed without loss") {
  Schema<Params> schema("x", "");
  schema.optional(&Params::time, 1'234'567ns, {"time", "", ""})
      .optional(&Params::size, Bytes{123'456'789}, {"size", "", ""})
      .optional(&Params::count, 65535, {"count", "", "count"})
      .optional(&Params::text, "", {"text", "", ""});
  CHECK(schema.fields()[0].default_text == "1234567 ns");
  CHECK(schema.fields()[1].default_text == "123456789 B");
  CHECK(schema.fields()[2].default_text == "65535");
  CHECK(schema.fields()[3].default_text == "\"\"");
}

TEST_CASE("the data sheet for a terminal is an aligned table") {
  Schema<Params> schema("ssd", "a solid-state drive");
  schema.required(&Params::time, {"read_time", "time of a read", ""}, {1e-6, {}})
      .optional(&Params::whole, 8, {"dies", "number of dies", "1"});
  CHECK(schema.describe() ==
        "ssd: a solid-state drive\n"
        "  key        default   unit  range             meaning\n"
        "  read_time  required  time  at least 1.00 us  time of a read\n"
        "  dies       8         1                       number of dies\n");
  CHECK(schema.name() == "ssd");
  CHECK(schema.summary() == "a solid-state drive");
}

TEST_CASE("a mistake in a data sheet breaks an invariant") {
  Schema<Params> schema("x", "");
  schema.required(&Params::time, {"time", "", ""});
  CHECK_THROWS_AS(schema.required(&Params::size, {"time", "", ""}), InvariantError);
  CHECK_THROWS_AS(schema.allow("time"), InvariantError);
  CHECK_THROWS_AS(schema.required(&Params::size, {"value", "", ""}), InvariantError);
  CHECK_THROWS_AS(schema.required(&Params::size, {"", "", ""}), InvariantError);
  CHECK_THROWS_AS(schema.optional(&Params::whole, 5, {"w", "", ""}, {6, 7}), InvariantError);
  CHECK_THROWS_AS(schema.required(&Params::whole, {"w", "", ""}, {7, 6}), InvariantError);
  CHECK_THROWS_AS(schema.required(&Params::text, {"t", "", ""}, {1, 2}), InvariantError);
  CHECK_THROWS_AS(schema.required(&Params::maybe, {"m", "", ""}, {0, 1e7}), InvariantError);
  CHECK_THROWS_AS(
      schema.choice(&Params::level, Level::raid0, {"l", "", ""}, {{"raid5", Level::raid5}}),
      InvariantError);
}

TEST_CASE("a map of unknown keys costs little and is cut at 100 problems") {
  std::string text;
  for (int i = 0; i < 90'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  CHECK(lines(sheet(), node_of(text)).size() == 100);
}

}  // namespace storcast
