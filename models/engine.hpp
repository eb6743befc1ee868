// RAID engines: who does the work of a RAID set on a host's own drives.
//
// An array's controllers do it in their own software (models/controller.hpp). Drives in a host have
// one of these: Linux md (engine_md.hpp), a hardware RAID-on-chip (engine_roc.hpp), a GPU
// (engine_gpu.hpp). Each adds its stations when it is installed and its visits to the path of a
// command: what a read passes before its drives are asked, what a write passes before its first and
// behind its last access to drives, and the parity arithmetic between them.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "sim/kernel/path.hpp"
#include "sim/kernel/system.hpp"

namespace storcast {

// What an engine needs to know of a command and the RAID set that it goes to.
struct EngineIo {
  std::int64_t bytes = 0;
  bool sequential = false;  // neighbours are joined to whole stripes
  std::int64_t strip_bytes = 0;
  int data = 1, parity = 0;  // strips of a stripe

  // Pieces that a command is cut into at the strips.
  [[nodiscard]] std::int64_t strips() const { return (bytes + strip_bytes - 1) / strip_bytes; }
};

template <class E>
concept RaidEngine = requires(const E& engine, PathBuilder& path, const EngineIo& io,
                              System& system, const std::string& name,
                              const typename E::Params& params) {
  { E::install(system, name, params) } -> std::same_as<E>;
  engine.append_read(path, io);       // before the drives are asked
  engine.append_recovery(path, io);   // what gives a lost strip back
  engine.append_write(path, io);      // before the first access to a drive
  engine.append_parity(path, io);     // arithmetic, between reads and writes
  engine.append_write_end(path, io);  // behind the last access
};

}  // namespace storcast
