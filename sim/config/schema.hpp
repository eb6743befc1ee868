// The data sheet of a model or of a part of a scenario: each parameter once, with its key, meaning,
// unit, default and range. The same table reads YAML, lists the parameters for a person and feeds
// the documentation, so that they cannot differ.
//
// A value is written plainly (read_time: 50us) or with its provenance, as catalogue entries do:
//   read_time: {value: 50us, range: [40us, 58us], source: "...", confidence: derived, note: "..."}
// Left out: parts within parts. A key that somebody else reads is announced by allow(). The
// catalogue replaces `use`; one that is still there names an unknown product, as the catalogue has
// said, and what that would have brought along is not called missing.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/config/yaml_node.hpp"

namespace storcast {

// What a parameter is. `unit` is printed; for numbers it also selects how the text is read:
//   double  "fraction": 70% or 0.7, within 0..1   "count": 300k, 20M   otherwise: a plain number,
//   may
//           be negative, optionally followed by exactly that unit ("0.3" or "0.3 ns/B")
//   integer "count": 20M   otherwise: digits only
// Duration, Bytes, Bandwidth and Watts always need their own unit in the text.
struct FieldDoc {
  std::string key;
  std::string meaning;
  std::string unit;
};

// Inclusive limits in SI base units (seconds, bytes, bytes per second, watts, 1); absent: no limit.
// For a list they hold for each item. Texts and truth values have none.
struct Range {
  std::optional<double> low;
  std::optional<double> high;
};

// One row of the data sheet, all of it text.
struct FieldInfo {
  std::string key;
  std::string meaning;
  std::string unit;          // "time", "bytes" ... if the FieldDoc gives none
  std::string default_text;  // empty if required
  std::string range_text;    // "1.00 us to 10.0 ms"; for a choice its words "a | b"; may be empty
  bool required = false;
};

// Where a value came from, for each value that was written with its provenance.
struct ReadLogEntry {
  std::string path;        // "system.arrays.array.pools.a.drive.read_time"
  std::string key;         // "read_time"
  std::string value;       // as written: "50us"; a list as "[50us, 60us]"
  std::string source;      // may be empty, as the two that follow
  std::string confidence;  // published | literature | derived | datasheet | assumption
  std::string note;
};
using ReadLog = std::vector<ReadLogEntry>;

// The reader behind Schema; defined in schema.cpp for the nine types that stand in a parameter.
namespace schema_detail {

// What reading one parameter needs to know of it.
struct ValueSpec {
  std::string key;
  std::string unit;
  Range range;
};

template <class T>
concept ItemType =
    std::same_as<T, Duration> || std::same_as<T, Bytes> || std::same_as<T, Bandwidth> ||
    std::same_as<T, Watts> || std::same_as<T, double> || std::same_as<T, int> ||
    std::same_as<T, std::int64_t> || std::same_as<T, bool> || std::same_as<T, std::string>;

template <ItemType T>
struct Item {
  // The value of a scalar node within spec.range; nothing after a Problem.
  static std::optional<T> read(const ConfigNode& node, const ValueSpec& spec, Problems& problems);
  // The `range` of a value's provenance: two items in order; nothing after a Problem.
  static std::optional<Range> read_range(const ConfigNode& node, const ValueSpec& spec,
                                         Problems& problems);
  static bool lies_in(const T& value, const Range& range);
  static std::string print(const T& value, const std::string& unit);
  static std::string print(const Range& range, const std::string& unit);
  static std::string_view unit_word();
  // Breaks an INVARIANT unless the range suits the type: finite, in order, none for a text.
  static void check(const Range& range);
};

// The item type of T, std::optional<T> and std::vector<T>.
template <class T>
struct Form {
  using Type = T;
  static constexpr bool is_optional = false, is_list = false;
};
template <class T>
struct Form<std::optional<T>> {
  using Type = T;
  static constexpr bool is_optional = true, is_list = false;
};
template <class T>
struct Form<std::vector<T>> {
  using Type = T;
  static constexpr bool is_optional = false, is_list = true;
};
template <class T>
using ItemOf = Item<typename Form<T>::Type>;

// A value with its provenance taken apart; `value` is the node itself if it was written plainly and
// nullptr after a Problem.
struct Datum {
  const ConfigNode* value = nullptr;
  const ConfigNode* range = nullptr;
  bool documented = false;
  ReadLogEntry log;
};
Datum open_datum(const ConfigNode& node, const std::string& key, Problems& problems);

void report_kind(const ConfigNode& node, std::string_view wanted, Problems& problems);
void report(const ConfigNode& node, const std::string& rule, Problems& problems);
void report_outside(const ConfigNode& node, const std::string& value, const std::string& range,
                    Problems& problems);
// False (and a Problem) unless the node is a map; unknown keys are Problems.
bool check_keys(const ConfigNode& node, const std::vector<FieldInfo>& fields,
                const std::vector<std::string>& allowed, Problems& problems);
void report_missing(const ConfigNode& map, const FieldInfo& field, Problems& problems);
// The index of the node's word; nothing after a Problem. A range has no meaning for words.
std::optional<std::size_t> read_choice(const Datum& datum, const std::vector<std::string>& words,
                                       Problems& problems);
void check_new_key(const std::string& key, const std::vector<FieldInfo>& fields);
std::string describe(const std::string& name, const std::string& summary,
                     const std::vector<FieldInfo>& fields);
std::string joined(const std::vector<std::string>& words, std::string_view between);

template <class T>
std::string print_value(const T& value, const std::string& unit) {
  if constexpr (Form<T>::is_optional) {
    return value ? ItemOf<T>::print(*value, unit) : "none";
  } else if constexpr (Form<T>::is_list) {
    std::vector<std::string> items;
    for (const auto& item : value) items.push_back(ItemOf<T>::print(item, unit));
    return "[" + joined(items, ", ") + "]";
  } else {
    return ItemOf<T>::print(value, unit);
  }
}

template <class T>
bool value_in(const T& value, const Range& range) {
  if constexpr (Form<T>::is_optional) {
    return !value || ItemOf<T>::lies_in(*value, range);
  } else if constexpr (Form<T>::is_list) {
    for (const auto& item : value) {
      if (!ItemOf<T>::lies_in(item, range)) return false;
    }
    return true;
  } else {
    return ItemOf<T>::lies_in(value, range);
  }
}

// Null is "none" for an optional value and a Problem for any other.
template <class T>
std::optional<T> read_value(const ConfigNode& node, const ValueSpec& spec, Problems& problems) {
  if constexpr (Form<T>::is_list) {
    if (!node.is_list()) {
      report_kind(node, "a list", problems);
      return std::nullopt;
    }
    T list;
    for (const auto& item : node.items()) {
      if (auto value = ItemOf<T>::read(item, spec, problems)) list.push_back(std::move(*value));
    }
    if (list.size() < node.items().size()) return std::nullopt;
    return list;
  } else if constexpr (Form<T>::is_optional) {
    if (node.is_null()) return std::optional<T>(std::in_place);
    auto value = ItemOf<T>::read(node, spec, problems);
    if (!value) return std::nullopt;
    return std::optional<T>(std::in_place, std::move(value));
  } else {
    return ItemOf<T>::read(node, spec, problems);
  }
}

// A parameter, plainly written or with its provenance, which is then noted in `log`.
template <class T>
std::optional<T> read_field(const ConfigNode& node, const ValueSpec& spec, Problems& problems,
                            ReadLog* log) {
  const Datum datum = open_datum(node, spec.key, problems);
  if (datum.value == nullptr) return std::nullopt;
  auto value = read_value<T>(*datum.value, spec, problems);
  if (datum.range != nullptr) {
    const auto range = ItemOf<T>::read_range(*datum.range, spec, problems);
    if (range && value && !value_in(*value, *range)) {
      report_outside(*datum.value, print_value(*value, spec.unit),
                     ItemOf<T>::print(*range, spec.unit), problems);
      return std::nullopt;
    }
  }
  if (value && datum.documented && log != nullptr) log->push_back(datum.log);
  return value;
}

}  // namespace schema_detail

// Params is a plain struct that can be default-constructed. Members may be Duration, Bytes,
// Bandwidth, Watts, double, int, std::int64_t, bool, std::string, a std::optional or a std::vector
// of these, or an enum (choice). Mistakes in a data sheet itself (a key twice, a default outside
// its range) break an INVARIANT.
template <class Params>
class Schema {
 public:
  Schema(std::string name, std::string summary)
      : name_(std::move(name)), summary_(std::move(summary)) {}

  // A parameter that must be given.
  template <class T>
  Schema& required(T Params::*member, FieldDoc doc, Range range = {}) {
    return add_value<T>(member, std::nullopt, std::move(doc), range);
  }

  // A parameter that has a default.
  template <class T>
  Schema& optional(T Params::*member, std::type_identity_t<T> fallback, FieldDoc doc,
                   Range range = {}) {
    INVARIANT(schema_detail::value_in(fallback, range), "a default lies in its range");
    return add_value<T>(member, std::optional<T>(std::in_place, std::move(fallback)),
                        std::move(doc), range);
  }

  // One of some words; required if there is no fallback, which must be one of them.
  template <class E>
  Schema& choice(E Params::*member, std::type_identity_t<std::optional<E>> fallback, FieldDoc doc,
                 std::vector<std::pair<std::string, std::type_identity_t<E>>> words) {
    static_assert(std::is_enum_v<E>, "a choice is an enum");
    std::vector<std::string> names;
    std::string default_text;
    for (const auto& [word, value] : words) {
      names.push_back(word);
      if (fallback && *fallback == value && default_text.empty()) default_text = word;
    }
    INVARIANT(!fallback || !default_text.empty(), "a default is one of the words");
    add_info({doc.key, doc.meaning, doc.unit.empty() ? "word" : doc.unit, default_text,
              schema_detail::joined(names, " | "), !fallback});
    readers_.push_back({[=](Params& params) {
                          if (fallback) params.*member = *fallback;
                        },
                        [=, key = doc.key](const ConfigNode& node, Params& params,
                                           Problems& problems, ReadLog* log) {
                          const auto datum = schema_detail::open_datum(node, key, problems);
                          const auto index = schema_detail::read_choice(datum, names, problems);
                          if (!index) return;
                          params.*member = words[*index].second;
                          if (datum.documented && log != nullptr) log->push_back(datum.log);
                        }});
    return *this;
  }

  // A rule between parameters; asked only when each of them is right by itself.
  Schema& check(std::function<bool(const Params&)> rule, std::string message) {
    checks_.emplace_back(std::move(rule), std::move(message));
    return *this;
  }

  // A key that stands in the same map and is read by somebody else ("ports").
  Schema& allow(std::string key) {
    schema_detail::check_new_key(key, fields_);
    allowed_.push_back(std::move(key));
    return *this;
  }

  // Reads a map. All that is wrong is added to `problems`; the result is then incomplete. Values
  // with provenance are appended to `log`.
  [[nodiscard]] Params read(const ConfigNode& node, Problems& problems,
                            ReadLog* log = nullptr) const {
    Params params{};
    const std::size_t before = problems.count();
    for (const auto& reader : readers_) reader.set_default(params);
    if (!schema_detail::check_keys(node, fields_, allowed_, problems)) return params;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const ConfigNode* value = node.find(fields_[i].key);
      if (value != nullptr) {
        readers_[i].read(*value, params, problems, log);
      } else if (fields_[i].required) {
        schema_detail::report_missing(node, fields_[i], problems);
      }
    }
    if (problems.count() > before) return params;
    for (const auto& [rule, message] : checks_) {
      if (!rule(params)) schema_detail::report(node, message, problems);
    }
    return params;
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& summary() const noexcept { return summary_; }

  // The data sheet as text, one row for each parameter in the order of declaration.
  [[nodiscard]] std::vector<FieldInfo> fields() const { return fields_; }

  // The data sheet as an aligned table for a terminal.
  [[nodiscard]] std::string describe() const {
    return schema_detail::describe(name_, summary_, fields_);
  }

 private:
  struct Reader {
    std::function<void(Params&)> set_default;
    std::function<void(const ConfigNode&, Params&, Problems&, ReadLog*)> read;
  };

  void add_info(FieldInfo info) {
    schema_detail::check_new_key(info.key, fields_);
    fields_.push_back(std::move(info));
  }

  template <class T>
  Schema& add_value(T Params::*member, std::optional<T> fallback, FieldDoc doc, Range range) {
    using Item = schema_detail::ItemOf<T>;
    Item::check(range);
    std::string unit = doc.unit.empty() ? std::string(Item::unit_word()) : doc.unit;
    if constexpr (schema_detail::Form<T>::is_list) unit = "list of " + unit;
    add_info({doc.key, doc.meaning, unit,
              fallback ? schema_detail::print_value(*fallback, doc.unit) : "",
              Item::print(range, doc.unit), !fallback});
    const schema_detail::ValueSpec spec{doc.key, doc.unit, range};
    readers_.push_back(
        {[=](Params& params) {
           if (fallback) params.*member = *fallback;
         },
         [=](const ConfigNode& node, Params& params, Problems& problems, ReadLog* log) {
           auto value = schema_detail::read_field<T>(node, spec, problems, log);
           if (value) params.*member = std::move(*value);
         }});
    return *this;
  }

  std::string name_;
  std::string summary_;
  std::vector<FieldInfo> fields_;
  std::vector<Reader> readers_;  // one for each field
  std::vector<std::string> allowed_;
  std::vector<std::pair<std::function<bool(const Params&)>, std::string>> checks_;
};

}  // namespace storcast
