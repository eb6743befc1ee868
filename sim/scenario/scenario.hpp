// A scenario as typed values: what the text says, read, checked against itself, units resolved.
//
// load_scenario() does all of it: the file, then --set, then the products it uses, below what the
// scenario itself says the profile's adjustments. Everything that is wrong is reported at once
// (ScenarioError). Nothing is defaulted that is not in a data sheet, and nothing is clamped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/cache.hpp"
#include "models/chassis.hpp"
#include "models/controller.hpp"
#include "models/engine_gpu.hpp"
#include "models/engine_md.hpp"
#include "models/engine_roc.hpp"
#include "models/hdd.hpp"
#include "models/host.hpp"
#include "models/null_drive.hpp"
#include "models/protocol.hpp"
#include "models/raid_layout.hpp"
#include "models/rebuild.hpp"
#include "models/sas.hpp"
#include "models/ssd.hpp"
#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"

namespace storcast {

inline constexpr int language_version = 1;
inline constexpr std::int64_t most_outstanding = 1'000'000;
inline constexpr std::int64_t most_connections = 60'000;
inline constexpr std::size_t most_volumes = 10'000;
inline constexpr std::size_t most_pools = 64;
inline constexpr std::int64_t most_pool_bytes =
    100'000'000'000'000'000;  // blocks x blocks of a strip stay below 2^64
inline constexpr std::size_t most_hosts = 64;
inline constexpr int most_drives = 4096;  // of 1 PB at the most: their bytes stay below 2^63

struct HostConfig {
  std::string name;
  HostParams params;
  PortsParams ports;
};
struct FabricConfig {
  bool local = false;  // drives in the host: `own` counts, nothing else of the fabric
  LocalParams own;
  std::string protocol;  // "nvme_rdma"
  ProtocolParams stack;
};
using DriveParams = std::variant<Ssd::Params, Hdd::Params, NullDrive::Params>;
using EngineParams = std::variant<MdEngine::Params, RocEngine::Params, GpuEngine::Params>;
struct PoolConfig {
  std::string name;
  std::string raid;  // its level: "raid6", "8+2"
  RaidLayout layout;
  int drives = 0;      // members: layout.drives
  int hot_spares = 0;  // stand beside the set
  Bytes strip{};
  Bytes formatting{};                // kept for metadata on each drive
  bool formatting_assumed = false;   // nobody said so
  std::size_t controller = 0;        // index of its owner
  std::optional<std::size_t> shelf;  // index of the chain its drives are in; none: the chassis
  std::string drive_product;         // "drives/nvme-gen4-tlc"; empty if written out
  DriveParams drive;
  std::optional<EngineParams> engine;      // of local drives; else the controllers' software
  std::optional<DriveParams> spare_drive;  // as large as `drive`; absent: the same
  RebuildParams rebuild;
  std::vector<std::string> rebuild_unsaid;  // what nobody said of it: "blocks = all"

  [[nodiscard]] Bytes drive_capacity() const {
    return std::visit([](const auto& params) { return params.capacity; }, drive);
  }
  // Whether a lost drive finds a spare to be rebuilt into.
  [[nodiscard]] bool rebuilds() const {
    return rebuild.enabled && layout.family != RaidFamily::striped &&
           (hot_spares > 0 || layout.spares > 0);
  }
};
struct ControllerConfig {
  std::string name;
  ControllerParams params;
};
struct ShelfConfig {
  std::string name;
  SasParams params;
};
struct ArrayConfig {
  std::string name;
  std::vector<ControllerConfig> controllers;
  CacheParams cache;
  ChassisParams chassis;
  std::vector<ShelfConfig> shelves;
  std::vector<PoolConfig> pools;
  int volumes_per_pool = 0;
  Bytes volume_size{};
};

enum class Arrival : std::uint8_t { closed, poisson };
struct SizeShare {
  Bytes size{};
  double share = 1;
};
struct WorkloadConfig {
  std::string name;
  std::size_t host = 0;
  std::vector<std::uint16_t> volumes;  // pool * volumes_per_pool + index
  std::string rw;                      // fio's word (rw for its synonym readwrite)
  double read_fraction = 1;
  bool random = true;
  std::vector<SizeShare> sizes;
  int iodepth = 1;
  int numjobs = 1;
  bool jobs_per_volume = true;
  Arrival arrival{};
  double rate_iops = 0;
  Duration thinktime{};
  AddressLaw law{};
  double law_parameter = 0;
  std::optional<Bytes> span;

  // Whether a write can occur at all; the mix of rw and randrw may change during the run.
  [[nodiscard]] bool may_write() const { return read_fraction < 1 || rw == "rw" || rw == "randrw"; }
  [[nodiscard]] std::int64_t connections() const {
    return jobs_per_volume
               ? static_cast<std::int64_t>(numjobs) * static_cast<std::int64_t>(volumes.size())
               : numjobs;
  }
  [[nodiscard]] std::int64_t outstanding() const {
    return arrival == Arrival::closed ? connections() * iodepth : 0;
  }
};

struct RunConfig {
  std::int64_t seed = 1;
  double throughput = 0.01, mean = 0.02, p99 = 0.05;  // wanted relative half-widths
  Duration simulated = from_seconds(30);
  double ios = 20e6;
  Duration warm_up{};  // at least
};

struct TimelineEntry {
  enum class Kind : std::uint8_t { iodepth, rate, mix, fail_drive, fail_controller };
  Duration at{};
  Kind kind{};
  std::size_t workload = 0, pool = 0, controller = 0;
  int drive = 0;
  double value = 0;
  std::string what;  // "drive 3 of pool a fails"
  Position where{};  // in the scenario's text
};

struct Scenario {
  std::string file;
  std::string text;  // resolved: one canonical YAML document, products and --set included
  std::string name, description;
  std::vector<HostConfig> hosts;
  FabricConfig fabric;
  ArrayConfig array;
  std::vector<WorkloadConfig> workloads;
  RunConfig run;
  std::vector<TimelineEntry> timeline;
  std::vector<std::string> assumptions;  // values that rest on an assumption, with their place
  std::vector<std::string> adjusted;     // what the profile changed
  std::vector<std::string> warnings;
};

struct Override {
  std::string path, value;  // --set path=value
};

// Throws ScenarioError.
[[nodiscard]] Scenario load_scenario(const std::string& file,
                                     const std::vector<Override>& sets = {});
// The same from a text; `file` names it in messages.
[[nodiscard]] Scenario parse_scenario(const std::string& text, const std::string& file,
                                      const std::vector<Override>& sets = {});

}  // namespace storcast
