#include "calibration/disk_trace.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include "sim/base/error.hpp"

namespace storcast {

namespace {

struct Word {
  std::string text;
  int column = 0;
};

// The words of a line and where they stand.
std::vector<Word> words_of(const std::string& line) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < line.size();) {
    const bool blank = line[i] == ' ' || line[i] == '\t' || line[i] == '\r';
    const std::size_t end = std::min(line.find_first_of(" \t\r", i), line.size());
    if (!blank) words.push_back({line.substr(i, end - i), static_cast<int>(i) + 1});
    i = blank ? i + 1 : end;
  }
  return words;
}

// A text file, line by line, and what is wrong in it.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), in_(path) {
    if (!in_) fail({}, "cannot be read");
    problems_.throw_if_any();
  }
  bool next() {
    std::string line;
    while (std::getline(in_, line)) {
      ++line_;
      words_ = words_of(line.substr(0, line.find('#')));
      if (!words_.empty()) return true;
    }
    return false;
  }
  [[nodiscard]] const std::vector<Word>& words() const { return words_; }
  void fail(const Word& word, const std::string& rule, std::vector<std::string> accepted = {}) {
    problems_.add({path_, word.column > 0 ? line_ : 0, word.column}, word.text, rule,
                  std::move(accepted));
  }
  // A number in [least, most]; nothing, and a problem, if it is none.
  template <class T>
  std::optional<T> number(const Word& word, const std::string& name, T least, T most) {
    T value{};
    const char* end = word.text.data() + word.text.size();
    const auto [stop, error] = std::from_chars(word.text.data(), end, value);
    std::ostringstream range;
    range << name << ": " << quote(word.text) << " is not ";
    if (error != std::errc{} || stop != end) {
      fail(word, range.str() + (std::is_integral_v<T> ? "a whole number" : "a number"));
      return {};
    }
    if (!(value >= least && value <= most)) {
      range << "within " << least << " to " << most;
      fail(word, range.str());
      return {};
    }
    return value;
  }
  void finish() const { problems_.throw_if_any(); }

 private:
  std::string path_;
  std::ifstream in_;
  int line_ = 0;
  std::vector<Word> words_{};
  Problems problems_{};
};

constexpr double ps_per_us = 1e6;
constexpr double most_us = 1e9;

std::optional<MeasuredRequest> request_of(Lines& lines) {
  const std::vector<Word>& w = lines.words();
  if (w.size() != 6) {
    lines.fail(w.front(),
               "a request has six columns: operation, hit or miss, first block, blocks, service "
               "time, interval; here are " +
                   std::to_string(w.size()));
    return {};
  }
  const bool known = w[0].text == "R" || w[0].text == "W";
  if (!known) lines.fail(w[0], "operation: " + quote(w[0].text) + " is unknown", {"R", "W"});
  const auto lba = lines.number<std::uint64_t>(w[2], "first block", 0, 1ULL << 48);
  const auto blocks = lines.number<std::uint32_t>(w[3], "blocks", 1, 1U << 16);
  const auto service = lines.number<double>(w[4], "service time, us", 1e-3, most_us);
  const auto interval = lines.number<double>(w[5], "interval, us", 0, most_us);
  if (!known || !lba || !blocks || !service || !interval) return {};
  return MeasuredRequest{w[0].text == "W", *lba, *blocks, *service * ps_per_us,
                         *interval * ps_per_us};
}

// What the lines of a layout have said so far.
struct Tables {
  std::uint32_t surfaces = 0;
  std::optional<DiskLayout::Spares> spares;
  std::vector<DiskZone> zones;
  std::size_t skews = 0;
};

bool has(Lines& lines, std::size_t least, std::size_t most, const std::string& form) {
  const std::size_t values = lines.words().size() - 1;
  if (values >= least && values <= most) return true;
  lines.fail(lines.words().front(), "the form is: " + form);
  return false;
}

void read_zone(Lines& lines, Tables& t) {
  if (!has(lines, 5, 5, "zone FIRST LAST BLOCKS_PER_TRACK SPARES FRONT")) return;
  const std::vector<Word>& w = lines.words();
  constexpr std::uint32_t most = 1U << 24;
  const std::uint32_t first_free = t.zones.empty() ? 0 : t.zones.back().last_cylinder + 1;
  const auto first = lines.number<std::uint32_t>(w[1], "first cylinder", first_free, most);
  const auto last = lines.number<std::uint32_t>(w[2], "last cylinder", first.value_or(0), most);
  const auto track = lines.number<std::uint32_t>(w[3], "blocks per track", 1, 65536);
  const auto spare = lines.number<std::uint32_t>(w[4], "spare blocks", 0, most);
  const auto front = lines.number<std::uint32_t>(w[5], "blocks at the front", 0, most);
  if (!first || !last || !track || !spare || !front) return;
  t.zones.push_back({*first, *last, *track, *spare, *front});
  if (t.surfaces == 0 || !t.spares) {
    lines.fail(w[0], "'surfaces' and 'spares' come before the zones");
  } else if (!DiskLayout::is_sound(t.zones.back(), t.surfaces, *t.spares)) {
    lines.fail(w[0], "a zone keeps blocks beside its spares and those at the front");
  }
}

void read_skew(Lines& lines, Tables& t) {
  if (!has(lines, 3, 3, "skew FIRST_BLOCK HEAD CYLINDER") || t.zones.empty()) return;
  const std::vector<Word>& w = lines.words();
  DiskZone& z = t.zones.back();
  const double track = z.blocks_per_track;
  const auto origin = lines.number<double>(w[1], "offset of the first block", 0, track);
  const auto head = lines.number<double>(w[2], "skew of a head switch", 0, track);
  const auto cylinder = lines.number<double>(w[3], "skew of a cylinder switch", 0, track);
  if (!origin || !head || !cylinder) return;
  z.origin = *origin / track;
  z.head_skew = *head / track;
  // From one cylinder to the next: all its head switches, then that of the cylinder.
  z.cylinder_skew = std::fmod(((t.surfaces - 1) * *head + *cylinder) / track, 1.0);
  t.skews += 1;
}

void read_slips(Lines& lines, Tables& t) {
  for (std::size_t i = 1; i < lines.words().size() && !t.zones.empty(); ++i) {
    std::vector<std::uint32_t>& slips = t.zones.back().slips;
    const std::uint32_t least = slips.empty() ? 0 : slips.back() + 1;
    const auto slip =
        lines.number<std::uint32_t>(lines.words()[i], "slipped block", least, 1U << 30);
    if (slip) slips.push_back(*slip);
  }
}

void read_line(Lines& lines, Tables& t) {
  const std::vector<Word>& w = lines.words();
  const std::string& key = w[0].text;
  if ((key == "skew" || key == "slips") && t.zones.empty()) {
    lines.fail(w[0], quote(key) + " comes behind its zone");
  } else if (key == "surfaces") {
    if (!has(lines, 1, 1, "surfaces N")) return;
    t.surfaces = lines.number<std::uint32_t>(w[1], "surfaces", 1, 64).value_or(1);
  } else if (key == "spares") {
    if (!has(lines, 1, 1, "spares zone|cylinder")) return;
    t.spares = w[1].text == "cylinder" ? DiskLayout::Spares::at_end_of_cylinder
                                       : DiskLayout::Spares::at_end_of_zone;
    if (w[1].text != "cylinder" && w[1].text != "zone") {
      lines.fail(w[1], "spares: " + quote(w[1].text) + " is unknown", {"zone", "cylinder"});
    }
  } else if (key == "zone") {
    read_zone(lines, t);
  } else if (key == "skew") {
    read_skew(lines, t);
  } else if (key == "slips") {
    read_slips(lines, t);
  } else {
    const std::vector<std::string> known{"surfaces", "spares", "zone", "skew", "slips"};
    lines.fail(w[0], quote(key) + " is unknown", nearest(key, known));
  }
}

}  // namespace

std::vector<MeasuredRequest> read_disk_trace(const std::string& path) {
  Lines lines(path);
  std::vector<MeasuredRequest> requests;
  std::size_t seen = 0;
  while (lines.next()) {
    ++seen;
    if (const auto request = request_of(lines)) requests.push_back(*request);
  }
  if (seen < least_requests) {
    lines.fail({}, "a trace needs at least " + std::to_string(least_requests) +
                       " requests; here are " + std::to_string(seen));
  }
  lines.finish();
  return requests;
}

MeasuredLayout read_disk_layout(const std::string& path) {
  Lines lines(path);
  Tables t;
  while (lines.next()) read_line(lines, t);
  if (t.zones.empty()) lines.fail({}, "a layout has at least one zone");
  if (t.skews != 0 && t.skews != t.zones.size()) {
    lines.fail({}, "either all zones have a skew or none has");
  }
  lines.finish();
  return {DiskLayout(t.surfaces, *t.spares, t.zones), t.skews != 0};
}

}  // namespace storcast
