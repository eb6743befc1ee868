#include "results/capacity.hpp"

#include <fmt/format.h>

#include "results/known.hpp"
#include "results/terminal.hpp"

namespace storcast {
namespace {

constexpr double terabyte = 1e12;
constexpr double tebibyte = 1099511627776.0;

std::string row(const std::string& name, Bytes amount, Bytes raw, const std::string& note = "") {
  const auto bytes = static_cast<double>(amount.value);
  const std::string sign = amount.value < 0 ? "-" : "";
  const auto size = static_cast<std::uint64_t>(amount.value < 0 ? -amount.value : amount.value);
  const double share = raw.value > 0 ? bytes / static_cast<double>(raw.value) * 100 : 0;
  std::string line =
      fmt::format("  {:<14} {:>25} {:>13.3f} {:>13.3f} {:>7.1f} %", name, sign + grouped_text(size),
                  bytes / terabyte, bytes / tebibyte, share);
  if (!note.empty()) line += "  " + note;
  return line + "\n";
}

struct Notes {
  std::string hot_spares, woven_spares, redundancy, formatting, remainder, allocated;
};

std::string table(const Ledger& l, const Notes& notes) {
  std::string out =
      fmt::format("  {:<14} {:>25} {:>13} {:>13} {:>9}\n", "", "bytes", "TB", "TiB", "of raw");
  out += row("raw", l.raw, l.raw);
  out += row("hot spares", l.hot_spares, l.raw, notes.hot_spares);
  out += row("formatting", l.formatting, l.raw, notes.formatting);
  out += row("remainder", l.remainder, l.raw, notes.remainder);
  out += row("woven spares", l.woven_spares, l.raw, notes.woven_spares);
  out += row("redundancy", l.redundancy, l.raw, notes.redundancy);
  out += row("usable", l.usable, l.raw);
  out += row("allocated", l.allocated, l.raw, notes.allocated);
  out += row("free", l.free, l.raw);
  return out;
}

std::string redundancy_of(const RaidLayout& layout) {
  if (layout.family == RaidFamily::mirrored) return "mirror copies";
  if (layout.parity == 0) return "none";
  return fmt::format("parity, {} of {} strips of a stripe", layout.parity,
                     layout.data + layout.parity);
}

Notes notes_of(const PoolCapacity& pool) {
  Notes n;
  if (pool.hot_spares > 0) {
    n.hot_spares = fmt::format("{} x {}", pool.hot_spares, format_bytes(pool.drive));
  }
  n.formatting = format_bytes(pool.formatting_per_drive) + " of each drive";
  if (pool.ledger.remainder.value > 0) n.remainder = "less than a whole stripe";
  if (pool.layout.spares > 0) {
    n.woven_spares =
        fmt::format("{} of {} drives of a group", pool.layout.spares, pool.layout.group_drives());
  }
  n.redundancy = redundancy_of(pool.layout);
  n.allocated = fmt::format("{} x {}", pool.volumes, format_bytes(pool.volume_size));
  return n;
}

}  // namespace

std::string capacity_report(const ArrayCapacity& capacity) {
  std::string out = clean(capacity.scenario, false) + "\n";
  for (const PoolCapacity& pool : capacity.pools) {
    out += fmt::format(
        "\nPool {}: {} of {} drives of {}{}, {} strips\n", pool.name, pool.raid, pool.layout.drives,
        format_bytes(pool.drive),
        pool.layout.groups > 1 ? fmt::format(" in {} groups", pool.layout.groups) : std::string{},
        format_bytes(pool.strip));
    out += table(pool.ledger, notes_of(pool));
  }
  if (capacity.pools.size() > 1) {
    out += fmt::format("\nAll {} pools\n", capacity.pools.size()) + table(capacity.total, {});
  }
  out += fmt::format("\n{} drives", capacity.drives);
  if (capacity.bays) out += fmt::format(" in {} bays", *capacity.bays);
  out += "; TB = 10^12, TiB = 2^40 bytes\n";
  for (const std::string& line : capacity.assumptions) {
    out += "assumed: " + clean(line, false) + "\n";
  }
  return out;
}

}  // namespace storcast
