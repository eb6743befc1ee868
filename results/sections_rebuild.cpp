#include <fmt/format.h>

#include <string>

#include "results/sections.hpp"
#include "sim/base/units.hpp"

namespace storcast {
namespace {

// Hours and minutes from an hour on: a rebuild takes long.
std::string span_text(double seconds, const Page& page) {
  if (seconds < 3600) return time_text({seconds, 0}, page.plain);
  return fmt::format("{:.2f} h", seconds / 3600);
}

std::string state_text(const RebuildResult& r, const Page& page) {
  if (!r.begins_s) return "waits for another rebuild";
  if (!r.ends_s) {
    const double share =
        r.rows > 0 ? static_cast<double>(r.rows_done) / static_cast<double>(r.rows) : 0;
    std::string text = fmt::format("{} done, {} at {}", percent_text(share),
                                   format_bytes(Bytes{static_cast<std::int64_t>(r.bytes)}),
                                   bandwidth_text({r.bytes_per_s, 0}));
    if (r.remaining_s) {
      text += fmt::format(", about {} more at this rate", span_text(*r.remaining_s, page));
    }
    return text;
  }
  return fmt::format(
      "done after {}, {} at {}{}", span_text(*r.ends_s - *r.begins_s, page),
      format_bytes(Bytes{static_cast<std::int64_t>(r.bytes)}), bandwidth_text({r.bytes_per_s, 0}),
      r.redundancy_restored ? fmt::format("; redundancy restored at {}", span_text(*r.ends_s, page))
                            : "; the pool is still degraded");
}

}  // namespace

void rebuilds_section(const RunResult& result, const Page& page, std::string& out) {
  if (result.rebuilds.empty()) return;
  out += "\n" + page.ink.heading("Rebuilds") + "\n";
  for (const RebuildResult& r : result.rebuilds) {
    out += wrap(fmt::format("  drive {} of pool {} into a {}: {}", r.drive, page.name(r.pool),
                            r.into, state_text(r, page)),
                page.width, 4);
  }
}

}  // namespace storcast
