// The readers of `workloads`, `run` and `timeline`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sim/scenario/reading.hpp"
#include "sim/scenario/sheets.hpp"

namespace storcast::reading {
namespace {

struct WorkloadPart {
  std::string host, rw;
  std::optional<Bytes> bs;
  std::optional<std::string> bssplit, rwmixread, random_distribution;
  std::optional<int> iodepth;
  int numjobs = 1;
  bool per_volume = true;
  Arrival arrival{};
  enum class Jobs : std::uint8_t { per_volume, total } jobs{};
  std::optional<double> rate_iops;
  std::optional<Duration> thinktime;
  std::optional<Bytes> span;
};

const Schema<WorkloadPart>& workload_schema() {
  using P = WorkloadPart;
  static const Schema<P> sheet =
      Schema<P>("workload", "A load, in fio's words.")
          .required(&P::host, {"host", "the host that runs it", ""})
          .required(&P::rw, {"rw", "read, write, randread, randwrite, rw, randrw", ""})
          .optional(&P::bs, std::nullopt, {"bs", "size of an I/O", ""}, {512, 64 << 20})
          .optional(&P::bssplit, std::nullopt,
                    {"bssplit", "sizes and per cents: 4KiB/60:64KiB/40", ""})
          .optional(&P::rwmixread, std::nullopt, {"rwmixread", "per cent of reads in a mix", ""})
          .optional(&P::random_distribution, std::nullopt,
                    {"random_distribution", "random, zipf:1.1, pareto:0.2, normal:10", ""})
          .optional(&P::iodepth, std::nullopt, {"iodepth", "I/Os each job keeps outstanding", ""},
                    {1, 65536})
          .optional(&P::numjobs, 1, {"numjobs", "jobs", ""}, {1, 60000})
          .choice(&P::jobs, std::optional(P::Jobs::per_volume),
                  {"jobs", "whether numjobs counts for each volume or in total", ""},
                  {{"per_volume", P::Jobs::per_volume}, {"total", P::Jobs::total}})
          .choice(&P::arrival, std::optional(Arrival::closed),
                  {"arrival", "closed or open loop", ""},
                  {{"closed", Arrival::closed}, {"poisson", Arrival::poisson}})
          .optional(&P::rate_iops, std::nullopt,
                    {"rate_iops", "arrivals per second of the whole workload", "count"},
                    {1e-3, 1e9})
          .optional(&P::thinktime, std::nullopt,
                    {"thinktime", "pause between a response and the next I/O", ""}, {0, 3600})
          .optional(&P::span, std::nullopt, {"span", "part of each volume that is used", ""},
                    {512, 1e15})
          .allow("volumes");
  return sheet;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

// "70" or "70%": per cent, as in fio.
std::optional<double> per_cent(std::string text) {
  if (!text.empty() && text.back() == '%') text.pop_back();
  const auto value = number(text);
  if (!value || *value < 0 || *value > 100) return {};
  return *value / 100;
}

void read_direction(const ConfigNode& node, const WorkloadPart& part, WorkloadConfig& w,
                    Problems& problems) {
  struct Word {
    const char* word;
    double reads;
    bool random, mixed;
  };
  constexpr std::array<Word, 7> words{{{"read", 1, false, false},
                                       {"write", 0, false, false},
                                       {"randread", 1, true, false},
                                       {"randwrite", 0, true, false},
                                       {"rw", 0.5, false, true},
                                       {"readwrite", 0.5, false, true},
                                       {"randrw", 0.5, true, true}}};
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word& x) { return part.rw == x.word; });
  if (found == words.end()) {
    if (node.find("rw") == nullptr || part.rw.empty()) return;  // missing: said already
    std::vector<std::string> accepted;
    for (const Word& word : words) accepted.emplace_back(word.word);
    complain(*node.find("rw"), "'" + part.rw + "' is unknown", problems,
             nearest(part.rw, accepted, 7));
    return;
  }
  w.rw = part.rw == "readwrite" ? "rw" : part.rw;
  w.random = found->random;
  w.read_fraction = found->reads;
  if (!part.rwmixread) return;
  const ConfigNode& mix = *node.find("rwmixread");
  if (!found->mixed) {
    complain(mix, "rwmixread belongs to rw or randrw, not to " + part.rw, problems,
             {"rw", "randrw"});
    return;
  }
  if (const auto value = per_cent(*part.rwmixread)) {
    w.read_fraction = *value;
  } else {
    complain(mix, "per cent of reads is wanted, 0 to 100, as in fio", problems, {"70", "70%"});
  }
}

// Not written, or written as nothing: null is "none" for an optional value.
bool is_absent(const ConfigNode& map, const std::string& key) {
  const ConfigNode* node = map.find(key);
  return node == nullptr || node->is_null();
}

void check_size(const ConfigNode& node, Bytes size, Problems& problems) {
  if (size.value % block_bytes != 0 || size.value < block_bytes || size.value > (64 << 20)) {
    complain(node, "an I/O is a multiple of 512B, at most 64MiB", problems);
  }
}

void read_split(const ConfigNode& node, const std::string& text, WorkloadConfig& w,
                Problems& problems) {
  double total = 0;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    const std::string item = text.substr(start, end - start);
    const std::size_t slash = item.find('/');
    const auto share = slash == std::string::npos ? std::nullopt : per_cent(item.substr(slash + 1));
    try {
      if (!share) throw QuantityError("no share");
      const Bytes size = parse_bytes(item.substr(0, slash));
      check_size(node, size, problems);
      w.sizes.push_back({size, *share});
      total += *share;
    } catch (const QuantityError&) {
      complain(node, "'" + item + "' is not a size and its per cent", problems,
               {"4KiB/60:64KiB/40"});
      return;
    }
    start = end + 1;
  }
  if (std::fabs(total - 1) > 1e-9)
    complain(node, "the shares must add up to 100 per cent", problems);
  if (w.sizes.size() > 64) complain(node, "at most 64 sizes", problems);
}

void read_sizes(const ConfigNode& node, const WorkloadPart& part, WorkloadConfig& w,
                Problems& problems) {
  if (part.bs && part.bssplit) {
    complain(*node.find("bssplit"), "bs and bssplit exclude each other", problems);
  } else if (part.bs) {
    check_size(*node.find("bs"), *part.bs, problems);
    w.sizes = {{*part.bs, 1}};
  } else if (part.bssplit) {
    read_split(*node.find("bssplit"), *part.bssplit, w, problems);
  } else if (is_absent(node, "bs") && is_absent(node, "bssplit")) {
    complain(node, "bs is missing: the size of an I/O", problems, {"4KiB"});
  }
}

void read_arrival(const ConfigNode& node, const WorkloadPart& part, WorkloadConfig& w,
                  Problems& problems) {
  w.arrival = part.arrival;
  w.numjobs = part.numjobs;
  w.jobs_per_volume = part.jobs == WorkloadPart::Jobs::per_volume;
  if (part.arrival == Arrival::closed) {
    if (part.rate_iops) {
      complain(*node.find("rate_iops"),
               "a closed load has an iodepth, not a rate; a rate goes with arrival: poisson",
               problems);
    }
    w.iodepth = part.iodepth.value_or(1);
    w.thinktime = part.thinktime.value_or(Duration{});
    return;
  }
  if (part.iodepth) {
    complain(*node.find("iodepth"),
             "iodepth is refused with arrival: poisson; the rate alone sets the load", problems);
  }
  if (part.thinktime) {
    complain(*node.find("thinktime"), "thinktime belongs to a closed load", problems);
  }
  if (part.rate_iops) {
    w.rate_iops = *part.rate_iops;
  } else if (is_absent(node, "rate_iops")) {
    complain(node, "rate_iops is missing: arrival: poisson needs the workload's total rate",
             problems, {"100k"});
  }
}

void read_distribution(const ConfigNode& node, const WorkloadPart& part, WorkloadConfig& w,
                       Problems& problems) {
  w.law = w.random ? AddressLaw::uniform : AddressLaw::sequential;
  if (!part.random_distribution) return;
  const ConfigNode& text = *node.find("random_distribution");
  if (!w.random) {
    complain(text, "random_distribution belongs to random I/O, not to " + w.rw, problems);
    return;
  }
  const std::string& whole = *part.random_distribution;
  const std::size_t colon = whole.find(':');
  const std::string word = whole.substr(0, colon);
  const double value =
      colon == std::string::npos ? -1 : number(whole.substr(colon + 1)).value_or(-1);
  struct Law {
    const char* word;
    AddressLaw law;
    double low, high;
  };
  constexpr std::array<Law, 3> laws{{{"zipf", AddressLaw::zipf, 0.01, 5},
                                     {"pareto", AddressLaw::pareto, 0.01, 0.99},
                                     {"normal", AddressLaw::normal, 0.1, 100}}};
  if (whole == "random") return;
  for (const Law& law : laws) {
    if (word != law.word) continue;
    if (value < law.low || value > law.high) {
      complain(text,
               word + " needs a parameter between " + fmt::format("{} and {}", law.low, law.high),
               problems, {"zipf:1.1", "pareto:0.2", "normal:10"});
      return;
    }
    w.law = law.law;
    w.law_parameter = value;
    return;
  }
  complain(
      text, "'" + whole + "' is unknown", problems,
      nearest(whole, std::vector<std::string>{"random", "zipf:1.1", "pareto:0.2", "normal:10"}));
}

bool has_doubles(std::vector<std::uint16_t> volumes) {
  std::sort(volumes.begin(), volumes.end());
  return std::adjacent_find(volumes.begin(), volumes.end()) != volumes.end();
}

// "all", a pool ("a") or a volume ("a.0"), or a list of these.
void add_volumes(const ConfigNode& name, const Scenario& scenario, WorkloadConfig& w,
                 Problems& problems) {
  const ArrayConfig& array = scenario.array;
  const auto per_pool = static_cast<std::size_t>(array.volumes_per_pool);
  const std::string& text = name.text();
  bool found = false;
  for (std::size_t p = 0; p < array.pools.size(); ++p) {
    const std::string& pool = array.pools[p].name;
    const bool whole = text == "all" || text == pool;
    if (!name.is_scalar() || (!whole && !text.starts_with(pool + "."))) continue;
    for (std::size_t v = 0; v < per_pool; ++v) {
      if (!whole && text != pool + "." + std::to_string(v)) continue;
      found = true;
      w.volumes.push_back(static_cast<std::uint16_t>(p * per_pool + v));
    }
  }
  if (found || problems.full()) return;
  std::vector<std::string> known{"all"};
  for (const PoolConfig& pool : array.pools) {
    known.push_back(pool.name);
    for (std::size_t v = 0; v < std::min<std::size_t>(per_pool, 16); ++v) {
      known.push_back(pool.name + "." + std::to_string(v));
    }
  }
  complain(name, "there is no volume '" + text + "'", problems, nearest(text, known));
}

void read_volume_names(const ConfigNode& node, const Scenario& scenario, WorkloadConfig& w,
                       Problems& problems) {
  const ConfigNode* volumes = node.find("volumes");
  const ConfigNode everything = ConfigNode::scalar("all");
  if (volumes == nullptr) volumes = &everything;
  if (!volumes->is_list()) {
    add_volumes(*volumes, scenario, w, problems);
  } else if (volumes->items().empty() || volumes->items().size() > most_volumes) {
    complain(*volumes, "one to " + std::to_string(most_volumes) + " volumes are wanted", problems);
  } else {
    for (const ConfigNode& item : volumes->items()) {
      if (w.volumes.size() <= most_volumes) add_volumes(item, scenario, w, problems);
    }
  }
  if (has_doubles(w.volumes)) {
    complain(*volumes, "a volume is named twice; more jobs on it are numjobs", problems);
  }
}

void check_span(const ConfigNode& node, const WorkloadPart& part, const Scenario& scenario,
                WorkloadConfig& w, Problems& problems) {
  w.span = part.span;
  const Bytes size = scenario.array.volume_size;
  if (size.value == 0) return;
  if (part.span && (*part.span > size || part.span->value % block_bytes != 0)) {
    complain(*node.find("span"),
             "the span is a multiple of 512B within a volume of " + format_bytes(size), problems);
    return;
  }
  for (const SizeShare& s : w.sizes) {
    if (s.size > part.span.value_or(size)) {
      complain(node,
               "an I/O of " + format_bytes(s.size) + " does not fit into the span of " +
                   format_bytes(part.span.value_or(size)),
               problems);
    }
    const std::int64_t room = dirty_pages(scenario.array.cache) * 4096;
    const bool known_cache = scenario.array.cache.size.value > 0;
    if (w.may_write() && known_cache && s.size.value > room) {
      complain(node,
               "a write of " + format_bytes(s.size) + " exceeds the cache's room for dirty data, " +
                   format_bytes({room}) + " (size, read_share, dirty_limit, destage_window)",
               problems);
    }
  }
}

WorkloadConfig read_workload(const ConfigEntry& entry, const Scenario& scenario,
                             Problems& problems) {
  const ConfigNode& node = entry.value;
  const WorkloadPart part = workload_schema().read(node, problems);
  WorkloadConfig w;
  w.name = entry.key;
  if (!node.is_map()) return w;
  std::vector<std::string> hosts;
  for (const HostConfig& host : scenario.hosts) hosts.push_back(host.name);
  const auto host = std::find(hosts.begin(), hosts.end(), part.host);
  w.host = static_cast<std::size_t>(host - hosts.begin());
  if (host == hosts.end() && node.find("host") != nullptr) {
    complain(*node.find("host"), "there is no host '" + part.host + "'", problems,
             nearest(part.host, hosts));
  }
  read_direction(node, part, w, problems);
  read_sizes(node, part, w, problems);
  read_arrival(node, part, w, problems);
  if (!w.rw.empty()) read_distribution(node, part, w, problems);
  read_volume_names(node, scenario, w, problems);
  check_span(node, part, scenario, w, problems);
  if (w.outstanding() > most_outstanding) {
    complain(node,
             "iodepth x numjobs keeps " + std::to_string(w.outstanding()) +
                 " I/Os outstanding; at most " + std::to_string(most_outstanding) + " are modelled",
             problems);
  }
  return w;
}

struct RunPart {
  std::int64_t seed = 1;
  Duration warm_up{};
};
struct PrecisionPart {
  double throughput = 0, mean = 0, p99 = 0;
};
struct LimitPart {
  Duration simulated{};
  double ios = 0;
};

const Schema<RunPart>& run_schema() {
  static const Schema<RunPart> sheet =
      Schema<RunPart>("run", "How long and how precisely.")
          .optional(&RunPart::seed, 1, {"seed", "of all random numbers", ""}, {0, 9e15})
          .optional(&RunPart::warm_up, Duration{}, {"warm_up", "cut at least this much", ""},
                    {0, 1e5})
          .allow("precision")
          .allow("limit");
  return sheet;
}

const Schema<PrecisionPart>& precision_schema() {
  static const Schema<PrecisionPart> sheet =
      Schema<PrecisionPart>("precision", "Relative half-widths of the 95 % intervals to stop at.")
          .optional(&PrecisionPart::throughput, 0.01, {"throughput", "of the IOPS", "fraction"},
                    {1e-4, 1})
          .optional(&PrecisionPart::mean, 0.02, {"mean", "of the mean response time", "fraction"},
                    {1e-4, 1})
          .optional(&PrecisionPart::p99, 0.05, {"p99", "of the 99th percentile", "fraction"},
                    {1e-4, 1});
  return sheet;
}

const Schema<LimitPart>& limit_schema() {
  static const Schema<LimitPart> sheet =
      Schema<LimitPart>("limit", "Stop here at the latest.")
          .optional(&LimitPart::simulated, from_seconds(30), {"simulated", "simulated time", ""},
                    {1e-3, 1e6})
          .optional(&LimitPart::ios, 20e6, {"ios", "completed I/Os", "count"}, {1000, 1e11});
  return sheet;
}

}  // namespace

void read_workloads(const ConfigNode& workloads, Scenario& scenario, Problems& problems) {
  std::int64_t connections = 0;
  std::int64_t outstanding = 0;
  for (const ConfigEntry& entry : workloads.entries()) {
    check_name(entry, problems);
    scenario.workloads.push_back(read_workload(entry, scenario, problems));
    connections += scenario.workloads.back().connections();
    outstanding += scenario.workloads.back().outstanding();
  }
  if (scenario.workloads.size() > 64)
    complain(workloads, "at most 64 workloads are modelled", problems);
  if (connections > most_connections) {
    complain(workloads,
             "jobs x volumes make " + std::to_string(connections) + " connections; at most " +
                 std::to_string(most_connections) + " are modelled",
             problems);
  }
  if (outstanding > most_outstanding) {
    complain(workloads,
             "together they keep " + std::to_string(outstanding) + " I/Os outstanding; at most " +
                 std::to_string(most_outstanding) + " are modelled",
             problems);
  }
}

void read_run(const ConfigNode* run, Scenario& scenario, Problems& problems) {
  if (run == nullptr || run->is_null()) return;
  const RunPart part = run_schema().read(*run, problems);
  scenario.run.seed = part.seed;
  scenario.run.warm_up = part.warm_up;
  if (const ConfigNode* precision = run->find("precision")) {
    const PrecisionPart p = precision_schema().read(*precision, problems);
    scenario.run.throughput = p.throughput;
    scenario.run.mean = p.mean;
    scenario.run.p99 = p.p99;
  }
  if (const ConfigNode* limit = run->find("limit")) {
    const LimitPart p = limit_schema().read(*limit, problems);
    scenario.run.simulated = p.simulated;
    scenario.run.ios = p.ios;
  }
  if (problems.empty() && scenario.run.warm_up >= scenario.run.simulated) {
    complain(*run, "warm_up must be shorter than limit.simulated", problems);
  }
}

ModelInfo workload_sheet() { return sheet_of(workload_schema()); }
std::vector<ModelInfo> run_sheets() {
  return {sheet_of(run_schema()), sheet_of(precision_schema()), sheet_of(limit_schema())};
}

}  // namespace storcast::reading
