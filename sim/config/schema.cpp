#include "sim/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace storcast::schema_detail {
namespace {

const std::vector<std::string> datum_keys{"value", "range", "source", "confidence", "note"};
const std::vector<std::string> confidence_words{"published", "literature", "derived", "datasheet",
                                                "assumption"};

template <class T>
constexpr bool is_integer = std::same_as<T, int> || std::same_as<T, std::int64_t>;
template <class T>
constexpr bool has_range = !std::same_as<T, bool> && !std::same_as<T, std::string>;

std::string prefix(const ConfigNode& node) {
  const std::string path = node.path();
  return path.empty() ? "" : path + ": ";
}

// --- text to value; all throw QuantityError

double plain_number(std::string_view text, std::string_view unit) {
  std::string_view number = text;
  if (!unit.empty() && number.ends_with(unit)) {
    number.remove_suffix(unit.size());
    while (number.ends_with(' ')) number.remove_suffix(1);
  }
  double value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    throw QuantityError("is too large or too small to be represented");
  }
  if (result.ec != std::errc{} || result.ptr != number.data() + number.size()) {
    throw QuantityError(unit.empty() || unit == "1" ? "is not a plain number"
                                                    : fmt::format("is not a number of {}", unit));
  }
  if (!std::isfinite(value)) throw QuantityError("is not a finite number");
  return value;
}

std::int64_t whole_number(std::string_view text, std::string_view unit) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr == text.data() + text.size()) {
    if (result.ec == std::errc::result_out_of_range) throw QuantityError("is too large");
    if (result.ec == std::errc{}) return value;
  }
  if (unit != "count") throw QuantityError("is not a whole number");
  const double count = parse_count(text);
  constexpr double exact_limit = 9007199254740992.0;  // 2^53: above it a double skips integers
  if (count != std::floor(count)) throw QuantityError("is not a whole number");
  if (count > exact_limit) throw QuantityError("is too large");
  return static_cast<std::int64_t>(count);
}

bool truth(std::string_view text) {
  if (text == "true" || text == "yes") return true;
  if (text == "false" || text == "no") return false;
  throw QuantityError("is none of true, false, yes, no");
}

template <class T>
T parse(const std::string& text, const std::string& unit) {
  if constexpr (std::same_as<T, Duration>) return parse_duration(text);
  if constexpr (std::same_as<T, Bytes>) return parse_bytes(text);
  if constexpr (std::same_as<T, Bandwidth>) return parse_bandwidth(text);
  if constexpr (std::same_as<T, Watts>) return parse_watts(text);
  if constexpr (std::same_as<T, bool>) return truth(text);
  if constexpr (std::same_as<T, std::string>) return text;
  if constexpr (std::same_as<T, double>) {
    if (unit == "fraction") return parse_fraction(text);
    return unit == "count" ? parse_count(text) : plain_number(text, unit);
  }
  if constexpr (is_integer<T>) {
    const std::int64_t value = whole_number(text, unit);
    if (value > std::numeric_limits<T>::max() || value < std::numeric_limits<T>::min()) {
      throw QuantityError("is too large");
    }
    return static_cast<T>(value);
  }
}

// The number that a Range limits, in SI base units.
template <class T>
double in_si(const T& value) {
  if constexpr (std::same_as<T, Duration>) {
    return to_seconds(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (!std::same_as<T, std::string>) {
    return static_cast<double>(value.value);
  } else {
    return 0;
  }
}

// --- value to text: the shorter form of the printers for people where it loses nothing

std::string print_duration(Duration d) {
  const std::string text = format_duration(d);
  if (d.count() >= 0 && parse_duration(text) == d) return text;
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
      {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}}};
  for (const auto& [name, ps] : units) {
    if (d.count() % ps == 0) return fmt::format("{} {}", d.count() / ps, name);
  }
  return fmt::format("{} ps", d.count());
}

std::string print_bytes(Bytes bytes) {
  const std::string text = format_bytes(bytes);
  return bytes.value >= 0 && parse_bytes(text) == bytes ? text : fmt::format("{} B", bytes.value);
}

std::string print_count(double count) {
  const std::string text = format_count(count);
  return count >= 0 && parse_count(text) == count ? text : fmt::format("{}", count);
}

std::string print_rate(double bytes_per_second) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}}};
  for (const auto& [name, size] : units) {
    if (bytes_per_second >= size) return fmt::format("{} {}", bytes_per_second / size, name);
  }
  return fmt::format("{} B/s", bytes_per_second);
}

std::string print_number(double value, const std::string& unit) {
  if (unit == "fraction") return fmt::format("{:.10g}%", value * 100);
  if (unit == "count") return print_count(value);
  return unit.empty() || unit == "1" ? fmt::format("{}", value) : fmt::format("{} {}", value, unit);
}

// A limit of a Range as text.
template <class T>
std::string print_si(double si, const std::string& unit) {
  if constexpr (std::same_as<T, Duration>) return print_duration(from_seconds(si));
  if constexpr (std::same_as<T, Bytes>) return print_bytes({static_cast<std::int64_t>(si)});
  if constexpr (std::same_as<T, Bandwidth>) return print_rate(si);
  if constexpr (std::same_as<T, Watts>) return fmt::format("{} W", si);
  if constexpr (is_integer<T>) return fmt::format("{:.0f}", si);
  return print_number(si, unit);
}

// "bytes" in "wants ..., found a list".
template <class T>
std::string_view wanted() {
  if constexpr (std::same_as<T, Duration>) return "a time (80us)";
  if constexpr (std::same_as<T, Bytes>) return "a size (4KiB)";
  if constexpr (std::same_as<T, Bandwidth>) return "a rate (25Gb/s, 3GiB/s)";
  if constexpr (std::same_as<T, Watts>) return "a power (12W)";
  if constexpr (std::same_as<T, double>) return "a number";
  if constexpr (is_integer<T>) return "a whole number";
  if constexpr (std::same_as<T, bool>) return "true or false";
  return "a text";
}

// A scalar's value whatever its range; nothing after a Problem.
template <class T>
std::optional<T> read_any(const ConfigNode& node, const std::string& unit, Problems& problems) {
  if (!node.is_scalar()) {
    report_kind(node, wanted<T>(), problems);
    return std::nullopt;
  }
  try {
    return parse<T>(node.text(), unit);
  } catch (const QuantityError& error) {
    problems.add(node.where(), node.text(),
                 fmt::format("{}{} {}", prefix(node), quote(node.text()), error.what()));
    return std::nullopt;
  }
}

// One of the texts of a value's provenance.
std::string provenance(const ConfigNode& map, std::string_view key, Problems& problems) {
  const ConfigNode* node = map.find(key);
  if (node == nullptr) return "";
  if (!node->is_scalar()) report_kind(*node, "a text", problems);
  return node->text();
}

std::string as_written(const ConfigNode& node) {
  if (!node.is_list()) return node.text();
  std::vector<std::string> items;
  for (const auto& item : node.items()) items.push_back(item.text());
  return "[" + joined(items, ", ") + "]";
}

}  // namespace

// --- one item

template <ItemType T>
std::optional<T> Item<T>::read(const ConfigNode& node, const ValueSpec& spec, Problems& problems) {
  auto value = read_any<T>(node, spec.unit, problems);
  if (!value || lies_in(*value, spec.range)) return value;
  report_outside(node, node.text(), print(spec.range, spec.unit), problems);
  return std::nullopt;
}

template <ItemType T>
std::optional<Range> Item<T>::read_range(const ConfigNode& node, const ValueSpec& spec,
                                         Problems& problems) {
  if (!has_range<T>) {
    report(node, "only a quantity has a range", problems);
    return std::nullopt;
  }
  if (node.items().size() != 2) {
    report(node, "a range is a list of two values, [low, high]", problems);
    return std::nullopt;
  }
  const auto low = read_any<T>(node.items()[0], spec.unit, problems);
  const auto high = read_any<T>(node.items()[1], spec.unit, problems);
  if (!low || !high) return std::nullopt;
  const Range range{in_si(*low), in_si(*high)};
  if (*range.low <= *range.high) return range;
  report(node, "the low end of the range lies above its high end", problems);
  return std::nullopt;
}

template <ItemType T>
bool Item<T>::lies_in(const T& value, const Range& range) {
  const double si = in_si(value);
  return (!range.low || si >= *range.low) && (!range.high || si <= *range.high);
}

template <ItemType T>
std::string Item<T>::print(const T& value, const std::string& unit) {
  if constexpr (std::same_as<T, std::string>) return value.empty() ? "\"\"" : value;
  if constexpr (std::same_as<T, bool>) return value ? "true" : "false";
  if constexpr (std::same_as<T, Duration>) return print_duration(value);
  if constexpr (std::same_as<T, Bytes>) return print_bytes(value);
  if constexpr (is_integer<T>) return fmt::format("{}", value);
  return print_si<T>(in_si(value), unit);
}

template <ItemType T>
std::string Item<T>::print(const Range& range, const std::string& unit) {
  if (range.low && range.high) {
    return print_si<T>(*range.low, unit) + " to " + print_si<T>(*range.high, unit);
  }
  if (range.low) return "at least " + print_si<T>(*range.low, unit);
  return range.high ? "at most " + print_si<T>(*range.high, unit) : "";
}

template <ItemType T>
std::string_view Item<T>::unit_word() {
  if constexpr (std::same_as<T, Duration>) return "time";
  if constexpr (std::same_as<T, Bytes>) return "size";
  if constexpr (std::same_as<T, Bandwidth>) return "rate";
  if constexpr (std::same_as<T, Watts>) return "power";
  if constexpr (std::same_as<T, double>) return "number";
  if constexpr (is_integer<T>) return "whole number";
  if constexpr (std::same_as<T, bool>) return "true/false";
  return "text";
}

template <ItemType T>
void Item<T>::check(const Range& range) {
  INVARIANT(has_range<T> || (!range.low && !range.high), "only a quantity has a range");
  constexpr double longest = 9.2e6;  // seconds that a Duration can hold
  constexpr double limit = std::same_as<T, Duration> ? longest : 9.2e18;
  INVARIANT(!range.low || std::abs(*range.low) < limit, "the low end can be represented");
  INVARIANT(!range.high || std::abs(*range.high) < limit, "the high end can be represented");
  INVARIANT(!range.low || !range.high || *range.low <= *range.high, "a range is in order");
}

template struct Item<Duration>;
template struct Item<Bytes>;
template struct Item<Bandwidth>;
template struct Item<Watts>;
template struct Item<double>;
template struct Item<int>;
template struct Item<std::int64_t>;
template struct Item<bool>;
template struct Item<std::string>;

// --- the parts that know no type

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

void report(const ConfigNode& node, const std::string& rule, Problems& problems) {
  problems.add(node.where(), node.text(), prefix(node) + rule);
}

void report_kind(const ConfigNode& node, std::string_view wanted_kind, Problems& problems) {
  const std::string found = node.is_scalar() ? fmt::format("the value {}", quote(node.text()))
                                             : std::string(kind_in_words(node.kind()));
  report(node, fmt::format("wants {}, found {}", wanted_kind, found), problems);
}

void report_outside(const ConfigNode& node, const std::string& value, const std::string& range,
                    Problems& problems) {
  report(node, fmt::format("{} is out of range: {}", quote(value), range), problems);
}

Datum open_datum(const ConfigNode& node, const std::string& key, Problems& problems) {
  Datum datum;
  datum.value = &node;
  if (!node.is_map()) return datum;
  datum.value = node.find("value");
  if (datum.value == nullptr) {
    report(node, "is a map without a value; write a value, or {value: ..., source: ...}", problems);
    return datum;
  }
  const std::size_t before = problems.count();
  for (const auto& entry : node.entries()) {
    const auto& known = datum_keys;
    if (problems.full() || std::find(known.begin(), known.end(), entry.key) != known.end())
      continue;
    problems.add(entry.where, entry.key,
                 fmt::format("{}the key {} is unknown", prefix(node), quote(entry.key)),
                 nearest(entry.key, known));
  }
  datum.documented = true;
  datum.range = node.find("range");
  datum.log = {node.path(),
               key,
               as_written(*datum.value),
               provenance(node, "source", problems),
               "",
               provenance(node, "note", problems)};
  if (const ConfigNode* confidence = node.find("confidence")) {
    Datum word;
    word.value = confidence;
    const auto index = read_choice(word, confidence_words, problems);
    if (index) datum.log.confidence = confidence_words[*index];
  }
  if (problems.count() > before) datum.documented = false;
  return datum;
}

bool check_keys(const ConfigNode& node, const std::vector<FieldInfo>& fields,
                const std::vector<std::string>& allowed, Problems& problems) {
  if (!node.is_map()) {
    report_kind(node, "a map", problems);
    return false;
  }
  std::vector<std::string> accepted;
  for (const auto& field : fields) accepted.push_back(field.key);
  accepted.insert(accepted.end(), allowed.begin(), allowed.end());
  for (const auto& entry : node.entries()) {
    if (std::find(accepted.begin(), accepted.end(), entry.key) != accepted.end() ||
        entry.key == "use") {
      continue;
    }
    // Beyond the limit a problem is only counted: spare the search for the nearest words.
    auto words = problems.full() ? std::vector<std::string>{} : nearest(entry.key, accepted);
    problems.add(entry.where, entry.key,
                 fmt::format("{}the key {} is unknown", prefix(node), quote(entry.key)),
                 std::move(words));
  }
  return true;
}

void report_missing(const ConfigNode& map, const FieldInfo& field, Problems& problems) {
  if (map.find("use") != nullptr) return;
  problems.add(
      map.where(), "",
      fmt::format("{}the key '{}' is missing ({})", prefix(map), field.key, field.meaning));
}

std::optional<std::size_t> read_choice(const Datum& datum, const std::vector<std::string>& words,
                                       Problems& problems) {
  if (datum.value == nullptr) return std::nullopt;
  const ConfigNode& node = *datum.value;
  if (datum.range != nullptr) report(*datum.range, "only a quantity has a range", problems);
  if (!node.is_scalar()) {
    report_kind(node, "one of " + joined(words, ", "), problems);
    return std::nullopt;
  }
  const auto found = std::find(words.begin(), words.end(), node.text());
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  problems.add(node.where(), node.text(),
               fmt::format("{}{} is unknown", prefix(node), quote(node.text())),
               nearest(node.text(), words, words.size()));
  return std::nullopt;
}

void check_new_key(const std::string& key, const std::vector<FieldInfo>& fields) {
  INVARIANT(!key.empty() && key != "value", "a key is a word; 'value' belongs to the provenance");
  for (const auto& field : fields) INVARIANT(field.key != key, "a key stands once in a data sheet");
}

std::string describe(const std::string& name, const std::string& summary,
                     const std::vector<FieldInfo>& fields) {
  std::vector<std::array<std::string, 5>> rows{{"key", "default", "unit", "range", "meaning"}};
  for (const auto& field : fields) {
    rows.push_back({field.key, field.required ? "required" : field.default_text, field.unit,
                    field.range_text, field.meaning});
  }
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out = fmt::format("{}: {}\n", name, summary);
  for (const auto& row : rows) {
    out += "  ";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out += fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    out += row.back() + '\n';
  }
  return out;
}

}  // namespace storcast::schema_detail
