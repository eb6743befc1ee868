// What a drive must answer.
//
// Model: a drive is a writer of path fragments. install() adds the stations of `count` identical
// drives to a system; append_read() and append_write() append what one command visits. The station
// of a particular drive is chosen when the step runs (Io::drive), so one fragment serves all
// drives.
//
// Parameters: those of the model. Scope and limits: all drives of a pool are of one model.
// References: architecture notes in sim/README.md. Validation: each model's own test.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "sim/base/units.hpp"
#include "sim/config/schema.hpp"
#include "sim/kernel/path.hpp"
#include "sim/kernel/system.hpp"

namespace storcast {

// What a drive is plugged into; also what a bay takes. `any`: a drive that fits every bay (the null
// drive), a bay that takes every drive.
enum class DriveInterface : std::uint8_t { any, nvme, sas, sata };

// Whether a bay of one kind takes a drive of another: a SAS bay takes SATA drives as well (Serial
// ATA tunnelling), and nothing else is mixed.
[[nodiscard]] constexpr bool bay_takes(DriveInterface bay, DriveInterface drive) noexcept {
  return bay == drive || bay == DriveInterface::any || drive == DriveInterface::any ||
         (bay == DriveInterface::sas && drive == DriveInterface::sata);
}
[[nodiscard]] constexpr const char* name_of(DriveInterface interface) noexcept {
  constexpr const char* names[] = {"any", "nvme", "sas", "sata"};
  return names[static_cast<int>(interface)];
}

// Power of a drive: idle, and with its read or write path fully busy.
struct DrivePower {
  Watts idle, reading, writing;
  Watts starting{};  // while it spins up at the start of a run; 0: it does not
};

template <class D>
concept DriveModel = requires(D& drive, const typename D::Params& params, System& system,
                              const std::string& name, std::uint32_t count, PathBuilder& path,
                              bool sequential) {
  { D::schema() } -> std::same_as<const Schema<typename D::Params>&>;
  { D::install(system, name, count, params) } -> std::same_as<D>;
  { drive.append_read(path) } -> std::same_as<void>;
  { drive.append_write(path, sequential) } -> std::same_as<void>;
  { drive.capacity() } -> std::same_as<Bytes>;
  { drive.power() } -> std::same_as<DrivePower>;
  { drive.busiest() } -> std::same_as<GroupId>;  // the group whose utilisation its power follows
};

}  // namespace storcast
