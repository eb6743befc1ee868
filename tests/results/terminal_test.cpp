#include "results/terminal.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace storcast;

TEST_CASE("control bytes of a user's text do not reach the terminal") {
  CHECK(clean("a\033[31mb", true) == "a?[31mb");
  CHECK(clean("a\x7f\x01", true) == "a??");
  CHECK(clean("a\xC2\x9B"
              "31m",
              true) == "a?31m");
  CHECK(clean("one\ntwo\tthree", true) == "one two three");
}

TEST_CASE("broken UTF-8 becomes a question mark, byte by byte") {
  CHECK(clean("a\xFF", true) == "a?");
  CHECK(clean("\xE2\x82", true) == "??");
  CHECK(clean("µ±", true) == "µ±");
}

TEST_CASE("without unicode the usual signs are spelled out and the rest is replaced") {
  CHECK(clean("8 µs → 16 µs ± 1…", false) == "8 us -> 16 us +- 1...");
  CHECK(clean("電", false) == "?");
}

TEST_CASE("columns count code points and padding uses them") {
  CHECK(columns("±1") == 2);
  CHECK(pad_left("±1", 4) == "  ±1");
  CHECK(pad_right("±1", 4) == "±1  ");
  CHECK(pad_left("long", 2) == "long");
}

TEST_CASE("a long name is shortened in its middle") {
  CHECK(shorten("array.controller_a.cores", 24, true) == "array.controller_a.cores");
  CHECK(shorten("array.controller_a.cores", 11, true) == "array…cores");
  CHECK(shorten("array.controller_a.cores", 12, false) == "array..cores");
  CHECK(columns(shorten("ääääääääääää", 7, true)) == 7);
}

TEST_CASE("a bar has its width and is filled by eighths or by whole characters") {
  CHECK(bar(0.5, 4, true) == "██  ");
  CHECK(bar(0.53125, 4, true) == "██▏ ");
  CHECK(bar(0.5, 4, false) == "##  ");
  CHECK(bar(1.5, 4, false) == "####");
  CHECK(bar(-1, 4, false) == "    ");
}

TEST_CASE("wrapping keeps words, leading spaces and the width") {
  CHECK(wrap("  aa bb cc", 7, 4) == "  aa bb\n    cc\n");
  CHECK(wrap("abcdefghij kl", 5, 2) == "abcdefghij\n  kl\n");
  CHECK(wrap("", 5, 2) == "\n");
}

TEST_CASE("colour off writes no escape byte, colour on closes what it opens") {
  CHECK(Ink(false).bad("x") == "x");
  CHECK(Ink(true).bad("x") == "\033[1;31mx\033[0m");
  CHECK(Ink(true).bad("").empty());
}
