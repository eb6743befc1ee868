// Linux md as RAID engine: shared counters and locks, worker threads, the stripe cache.
//
// Model: one serial section that all commands pass: reads, which go around the stripe cache but
// share its counters and wait queues, and writes, which take the device lock for each stripe head
// (a page of 4 KiB on every member). So 1/X = f/X_r + (1-f)/X_w for a share f of reads. A write's
// stripe heads are then worked on by the group threads, one line for all of them, which also do the
// parity arithmetic; with a write-intent bitmap the first write to a region waits for a bitmap
// update, here as a share of writes that does one more serial pass. Without parity (RAID 0, 1, 10)
// a write passes what a read passes. The stripe cache holds a limited number of heads: a write
// waits until there is room for its own. Worked numbers: 1 / 0.25 us = 4.0 million reads a second
// whatever the drives can do; 1 / 2.0 us = 500k small writes; half and half 889k.
//
// Parameters: schema() below. Scope and limits: the stripe cache joins neighbours of sequential
// writes to whole stripes; no journal, no partial parity log; heads of a write larger than the
// cache are charged as the whole cache. References: Linux drivers/md/raid5.c; published sweeps over
// null_blk (463k to 523k with one series of locks, 845k to 975k after a change); modelling
// brief 4.4 and its parameters. Validation: tests/models/engine_test.cpp,
// tests/validation/engines_test.cpp.
#pragma once

#include <algorithm>

#include "models/engine.hpp"
#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

struct MdParams {
  Duration read_serial{}, write_serial{};  // of a piece; of a stripe head
  int group_threads = 8;
  Duration write_work{};  // of a group thread, for a stripe head
  int stripe_cache = 256;
  double bitmap_share = 0;
  Bandwidth parity_update{}, parity_generate{}, parity_recover{};
};

class MdEngine {
 public:
  using Params = MdParams;

  static const Schema<Params>& schema() {
    using P = MdParams;
    static const Schema<P> sheet =
        Schema<P>("md", "Linux md: RAID by the host's kernel.")
            .optional(&P::read_serial, from_seconds(0.25e-6),
                      {"read_serial", "shared counters, for each piece of a read", ""}, {0, 1e-4})
            .optional(&P::write_serial, from_seconds(2e-6),
                      {"write_serial", "device lock, for each stripe head (4 KiB a member)", ""},
                      {0, 1e-4})
            .optional(&P::group_threads, 8, {"group_threads", "group_thread_cnt", ""}, {1, 256})
            .optional(&P::write_work, from_seconds(8e-6),
                      {"write_work", "time of a group thread for each stripe head", ""}, {0, 1e-3})
            .optional(&P::stripe_cache, 256,
                      {"stripe_cache", "stripe_cache_size, in stripe heads", ""}, {17, 32768})
            .optional(&P::bitmap_share, 0.0,
                      {"bitmap_share", "writes that set a bit of the write-intent bitmap first",
                       "fraction"},
                      {0, 1})
            .optional(&P::parity_update, Bandwidth{12e9},
                      {"parity_update", "parity of small writes, per thread", ""}, {1e8, 1e12})
            .optional(&P::parity_generate, Bandwidth{30e9},
                      {"parity_generate", "parity of full stripes, per thread", ""}, {1e8, 1e12})
            .optional(&P::parity_recover, Bandwidth{15e9},
                      {"parity_recover", "recovery of lost data, per thread", ""}, {1e8, 1e12});
    return sheet;
  }

  static MdEngine install(System& system, const std::string& name, const Params& p) {
    MdEngine engine(p);
    engine.serial_ = system.add_single(name + ".serial");
    engine.threads_ = system.add_servers(name + ".threads", p.group_threads);
    engine.cache_ = system.add_pool(name + ".stripe_cache", p.stripe_cache);
    return engine;
  }

  // Stripe heads of a write: pages of its strips, joined with those of other members if it is long.
  [[nodiscard]] static std::int64_t heads(const EngineIo& io) {
    const std::int64_t pages = (io.bytes + page - 1) / page;
    if (!io.sequential && io.bytes <= io.strip_bytes) return pages;
    const std::int64_t joined = (pages + io.data - 1) / io.data;
    return io.sequential ? joined : std::max(joined, io.strip_bytes / page);
  }

  void append_read(PathBuilder& path, const EngineIo& io) const {
    path.note("md: shared counters").visit(serial_, {p_.read_serial * io.strips()});
  }
  void append_recovery(PathBuilder& path, const EngineIo& io) const {
    const Bytes read{std::min(io.bytes, io.strip_bytes) * io.data};
    path.note("md: recovery").visit(threads_, {read / p_.parity_recover});
  }
  void append_write(PathBuilder& path, const EngineIo& io) const {
    if (io.parity == 0) return append_read(path, io);
    const double passes = static_cast<double>(heads(io)) + p_.bitmap_share;
    path.note("md: room in the stripe cache").seize(cache_, tokens(io));
    path.note("md: device lock").visit(serial_, {scaled_time(p_.write_serial, passes)});
    path.note("md: group threads").visit(threads_, {p_.write_work * heads(io)});
  }
  void append_parity(PathBuilder& path, const EngineIo& io) const {
    if (io.parity == 0) return;
    const Duration arithmetic = io.sequential ? Bytes{io.bytes} / p_.parity_generate
                                              : Bytes{2 * io.bytes} / p_.parity_update;
    path.note("md: parity").visit(threads_, {arithmetic});
  }
  void append_write_end(PathBuilder& path, const EngineIo& io) const {
    if (io.parity != 0) path.release(cache_, tokens(io));
  }

 private:
  static constexpr std::int64_t page = 4096;
  explicit MdEngine(const Params& p) : p_(p) {}
  static Duration scaled_time(Duration d, double factor) {
    return Duration{static_cast<std::int64_t>(static_cast<double>(d.count()) * factor + 0.5)};
  }
  [[nodiscard]] std::uint32_t tokens(const EngineIo& io) const {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(heads(io), p_.stripe_cache));
  }
  Params p_;
  GroupId serial_{}, threads_{};
  PoolId cache_{};
};
static_assert(RaidEngine<MdEngine>);

}  // namespace storcast
