#include "sim/base/error.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace storcast {

using Words = std::vector<std::string>;

TEST_CASE("a problem is one line: place, rule, the word meant, the accepted words") {
  const Problem problem{
      {"a.yaml", 14, 9}, "raid7", "system.raid: 'raid7' is unknown", {"raid6", "raid5"}};
  CHECK(describe(problem) ==
        "a.yaml:14:9: system.raid: 'raid7' is unknown; did you mean raid6? accepted: raid6, raid5");
}

TEST_CASE("a word far from each accepted one is not guessed") {
  CHECK(describe({{"a.yaml", 1, 2}, "potato", "'potato' is unknown", {"raid6"}}) ==
        "a.yaml:1:2: 'potato' is unknown; accepted: raid6");
}

TEST_CASE("what a problem does not have is left out of its line") {
  CHECK(describe({{"--set", 0, 0}, "", "rule", {}}) == "--set: rule");
  CHECK(describe({{}, "", "rule", {}}) == "rule");
  CHECK(describe({{"f", 3, 0}, "", "rule", {}}) == "f:3: rule");
}

TEST_CASE("control characters never reach the terminal raw") {
  const std::string line = describe({{"a\x1b[2J", 1, 1}, "", "x\ny\x7f \xc2\x9b!", {"b\r"}});
  CHECK(line == "a\\x1b[2J:1:1: x\\x0ay\\x7f \\x9b!; accepted: b\\x0d");
  CHECK(quote(std::string("a\0b", 3)) == "'a\\x00b'");
}

TEST_CASE("a quoted text is cut after 60 bytes, between letters") {
  CHECK(quote("randread") == "'randread'");
  CHECK(quote(std::string(60, 'a')) == "'" + std::string(60, 'a') + "'");
  CHECK(quote(std::string(61, 'a')) == "'" + std::string(60, 'a') + "'...");
  CHECK(quote(std::string(59, 'a') + "\xc3\xa9z") == "'" + std::string(59, 'a') + "'...");
}

TEST_CASE("nearest puts slips of the pen first") {
  const Words fio{"read", "write", "randread", "randwrite", "rw", "randrw"};
  CHECK(nearest("randraed", fio).front() == "randread");
  CHECK(nearest("RANDWRITE", fio).front() == "randwrite");
  const Words protocols{"fc", "nvme_rdma", "nvme_tcp"};
  CHECK(nearest("nvme", protocols).front() == "nvme_rdma");
}

TEST_CASE("nearest keeps the given order between equals and returns as many as asked for") {
  const Words raid{"raid0", "raid1", "raid5", "raid6", "raid10", "jbod"};
  CHECK(nearest("raid7", raid) == Words{"raid0", "raid1", "raid5", "raid6", "raid10"});
  CHECK(nearest("raid7", raid, 2) == Words{"raid0", "raid1"});
  CHECK(nearest("raid7", raid, 100).size() == 6);
  CHECK(nearest("x", Words{}).empty());
  CHECK(nearest(std::string(1 << 20, 'x'), raid).size() == 5);
}

TEST_CASE("the collector throws all problems at once") {
  Problems problems;
  CHECK_NOTHROW(problems.throw_if_any());
  problems.add({"f", 1, 1}, "a", "first", {});
  problems.add(Problem{{"f", 2, 1}, "b", "second", {}});
  try {
    problems.throw_if_any();
    FAIL("nothing was thrown");
  } catch (const ScenarioError& error) {
    CHECK(error.problems().size() == 2);
    CHECK(std::string(error.what()) == "f:1:1: first\nf:2:1: second");
  }
}

TEST_CASE("the collector keeps 100 problems and counts the rest") {
  Problems problems;
  for (int i = 0; i < 99; ++i) problems.add({}, "", "p", {});
  CHECK_FALSE(problems.full());
  for (int i = 0; i < 38; ++i) problems.add({}, "", "p", {});
  CHECK(problems.full());
  CHECK(problems.list().size() == 100);
  CHECK(problems.count() == 137);
  try {
    problems.throw_if_any();
    FAIL("nothing was thrown");
  } catch (const ScenarioError& error) {
    CHECK(error.problems().size() == 101);
    CHECK(error.problems().back().rule == "and 37 more problems");
  }
}

TEST_CASE("a broken invariant names condition, meaning and place") {
  CHECK_NOTHROW(INVARIANT(1 + 1 == 2, "sums hold"));
  CHECK_THROWS_WITH(INVARIANT(1 + 1 == 3, "sums hold"), Catch::Contains("1 + 1 == 3") &&
                                                            Catch::Contains("sums hold") &&
                                                            Catch::Contains("error_test.cpp"));
  CHECK_THROWS_AS(INVARIANT(false, "never"), InvariantError);
}

}  // namespace storcast
