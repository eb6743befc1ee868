#include "sim/base/text.hpp"

#include <catch2/catch.hpp>

namespace storcast {

TEST_CASE("a text is split at each separator, empty parts kept") {
  using Parts = std::vector<std::string>;
  CHECK(split("a.b.c", '.') == Parts{"a", "b", "c"});
  CHECK(split("", '.') == Parts{""});
  CHECK(split("a..b.", '.') == Parts{"a", "", "b", ""});
  CHECK(split("1,2", ';') == Parts{"1,2"});
}

}  // namespace storcast
