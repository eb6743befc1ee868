// A path: the short program of steps that an I/O executes.
//
// Models contribute fragments through PathBuilder; the builder of the system joins them, one path
// for each (stream, direction, size). Everything that can be known when the system is built stands
// in the step: the station or group, the mean service demand, the delay that follows it. A delay
// costs no event: it is folded into the departure before it. A visit marked `chained` costs no
// event either: its only source is the single server before it, so its arrivals come in order and
// the recursion can be taken at once (a drive's command processor and then one of its dies).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/ids.hpp"
#include "sim/base/random.hpp"
#include "sim/base/units.hpp"
#include "sim/kernel/io.hpp"

namespace storcast {

// Two words, non-owning, bound when the system is built; the target must outlive the system.
template <class Signature>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
  explicit FunctionRef(F& target) noexcept
      : object_(&target),
        call_([](void* object, A... a) -> R { return (*static_cast<F*>(object))(a...); }) {}
  R operator()(A... a) const { return call_(object_, a...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

// What a RAID planner asks of one drive.
struct MemberIo {
  DriveId drive{};
  std::uint64_t lba = 0;  // on the drive, in blocks
  std::uint32_t blocks = 0;
};

// Members of one phase of a fork. Storage is reserved when the system is built.
class MemberPlan {
 public:
  explicit MemberPlan(std::size_t capacity) : storage_(capacity) {}
  void clear() noexcept { size_ = 0; }
  // Precondition: size() < capacity().
  void push(MemberIo io) noexcept { storage_[size_++] = io; }
  [[nodiscard]] std::span<const MemberIo> ios() const noexcept { return {storage_.data(), size_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return storage_.size(); }

 private:
  std::vector<MemberIo> storage_;
  std::size_t size_ = 0;
};

using Plan = FunctionRef<void(const Io&, int, MemberPlan&)>;       // the members of phase n
using Decide = FunctionRef<bool(const Io&, Time, Rng&)>;           // true: skip
using ServiceTime = FunctionRef<Duration(const Io&, Time, Rng&)>;  // a stateful model
// The next I/O that a reordering drive serves, of those that wait.
struct NextService {
  IoId io = IoId::none;
  int priority = 0;
  Duration service{};
};
class WaitingLines;
using Schedule = FunctionRef<NextService(std::uint32_t drive, const WaitingLines&, Time)>;
// For the analytic tier: the mean service (seconds) of a member in order of arrival, with no gain
// by reordering, if the one before it was at `previous`; at its own address: of a stream, at best.
using ExpectedService = FunctionRef<double(const Io&, std::uint64_t previous, bool writes)>;
enum class PlanId : std::uint16_t {};
enum class DecideId : std::uint16_t {};
enum class ServiceId : std::uint16_t {};
enum class ScheduleId : std::uint16_t {};
enum class FlashId : std::uint16_t {};
enum class LockId : std::uint16_t {};

class LockKeys;
using Locks = FunctionRef<void(const Io&, LockKeys&)>;  // the locks of an I/O, in growing order

enum class StepKind : std::uint8_t {
  arrive,            // of an open stream: schedules the next arrival, submits an I/O
  submit,            // the stream chooses address, direction and size, and with them the path
  visit,             // one FCFS station
  visit_connection,  // one of separate queues, chosen by the connection's route (static affinity)
  visit_gated,       // the same, once the connection is open, and with a demand per command
  visit_drive,       // one of separate queues, chosen by the drive
  pass_drive,        // the same; the next visit is chained: no event between
  visit_address,     // one of a drive's separate queues, chosen by a hash of the address
  visit_dies,        // the same, of flash: a read of several units at as many dies, programs
  visit_servers,     // one line, several servers
  visit_priority,    // one server, a line for each priority
  leave_priority,    // the end of such a visit
  visit_model,       // one FCFS station whose service time a model computes
  post_drive,        // a drive's buffer: go on when the backlog fits into it
  write_flash,       // the same, of flash: what is written becomes programs of the dies
  delay,             // a delay too long to fold
  seize,             // tokens of a pool
  release,
  skip_if,  // a decision; true: go on at another step
  fork,     // the members of one phase of a plan
  join,
  acknowledge,      // the response is complete; the I/O goes on in the background
  complete,         // the response is complete
  retire,           // the end of background work
  visit_scheduled,  // one server for each drive, a model chooses who is next
  leave_scheduled,  // the end of such a visit
  lock,             // the stripes of the I/O, in order; waits for those that others hold
  unlock,
  detach  // a member of a fork has joined for its parent; itself goes on until retire
};

// One instruction; half a cache line.
struct Step {
  static constexpr std::uint32_t no_pool = 0xffffffff;  // aux of a gated visit without a pool
  StepKind kind{};
  // seize, release, visit_servers: the pool is chosen by 1 the connection's route, 2 the drive
  std::uint8_t routed = 0;
  StageId stage{};             // what the time of the step belongs to
  std::uint8_t priority = 0;   // of a priority or scheduled visit; of a fork: 1 if a single member
                               // needs no Io; of a write to flash: 1 if it is sequential
  std::uint16_t shape = 0;     // index into System::shapes; 0 is deterministic
  std::uint16_t function = 0;  // PlanId, DecideId, ServiceId, ScheduleId, FlashId; stream of submit
  std::uint32_t target = 0;    // station, first station of a group, route table, pool
  std::uint32_t aux = 0;       // queues per drive; step to go to; tokens; pool of per_outstanding;
                               // of a scheduled visit: 1 if it writes
  float slope = 0;             // picoseconds per byte, or per command outstanding
  std::uint32_t after_ps = 0;  // delay that follows the visit (at most 4.29 ms); phase of a fork
  double fixed_ps = 0;  // mean service demand apart from the slope; a delay; a buffer's drain time
};
static_assert(sizeof(Step) == 32);

// Cold companion of a step: for reports, bounds and checks.
struct StepInfo {
  std::string what;  // "controller: command processing"
};

// Mean service demand S = (fixed + bytes * ps_per_byte) * shape.
struct ServiceDemand {
  Duration fixed{};
  double ps_per_byte = 0;
  ShapeId shape{};
};

struct System;
struct StationGroup;

// Appends steps to a system. Checks as it goes: INVARIANT on a join without a fork, tokens released
// that were not seized, locks that stay, a chained visit after something that is not a single
// server, a path that ends inside a fork, a member that detaches before it visited anything.
class PathBuilder {
 public:
  explicit PathBuilder(System& system);

  // The stage that the following steps belong to.
  PathBuilder& stage(StageId stage);
  // Names the following steps for reports.
  PathBuilder& note(std::string what);

  // One of the group's queues; the group knows how it is chosen. `after`: a delay that follows.
  PathBuilder& visit(GroupId group, ServiceDemand demand, Duration after = {});
  // A connection group under another route table (the peer's cores).
  PathBuilder& visit(const StationGroup& group, ServiceDemand demand, Duration after = {});
  // One line, several servers, chosen by the connection's route in a table of server stations.
  PathBuilder& visit_servers(std::uint32_t server_routes, ServiceDemand demand,
                             Duration after = {});
  PathBuilder& visit_priority(GroupId group, ServiceDemand demand, int priority);
  PathBuilder& visit_model(GroupId group, ServiceId model);
  // The drive's scheduled station; inside a fork, or else the I/O's own drive.
  PathBuilder& visit_scheduled(GroupId group, int priority, bool writes);
  // Work queued at a drive's background station; the I/O goes on, `after` later, as soon as the
  // backlog behind it fits into a buffer that drains in `buffered`.
  PathBuilder& post(GroupId group, double ps_per_byte, Duration buffered, Duration after);
  // A read of flash: the dies of the drive that hold it, each for the demand of its unit.
  PathBuilder& visit_dies(FlashId flash, ServiceDemand demand, Duration after = {});
  // A write to flash; the I/O goes on, `after` later, as soon as the buffer has room for it.
  PathBuilder& write_flash(FlashId flash, bool sequential, Duration after);
  PathBuilder&
  chained();  // the last visit follows its predecessor, a drive's queue, without an event
  // The last visit waits until its connection is open.
  PathBuilder& gated();
  // Adds `ps` for each command in the pool (chosen by route) to the demand of the last, gated
  // visit.
  PathBuilder& per_outstanding(std::uint32_t pool_routes, double ps);
  PathBuilder& delay(Duration latency);
  PathBuilder& seize(PoolId pool, std::uint32_t tokens = 1);
  PathBuilder& release(PoolId pool, std::uint32_t tokens = 1);
  PathBuilder& seize_routed(std::uint32_t pool_routes, std::uint32_t tokens = 1);
  PathBuilder& release_routed(std::uint32_t pool_routes, std::uint32_t tokens = 1);
  // Of consecutive pools, one for each drive.
  PathBuilder& seize_by_drive(PoolId first, std::uint32_t tokens = 1);
  PathBuilder& release_by_drive(PoolId first, std::uint32_t tokens = 1);
  // The I/O's locks, from here to the unlock(); neither inside a fork.
  PathBuilder& lock(LockId locks);
  PathBuilder& unlock(LockId locks);
  PathBuilder& skip_if(DecideId decision);  // to the matching resume()
  PathBuilder& resume();
  // `last_phase`: no later step needs the I/O's own address, so a single member needs no Io.
  PathBuilder& fork(PlanId plan, int phase, bool last_phase);
  // The member tells its parent that it has joined; what follows up to join() it does by itself.
  PathBuilder& detach();
  PathBuilder& join();
  PathBuilder& acknowledge();
  // Ends the path: complete, or retire after an acknowledge. Returns its first step.
  std::uint32_t finish();
  // Ends the path of background work that no workload submits: from its first step again as long
  // as the decision is true, else retire. What it skips to resume() is skipped to the end.
  std::uint32_t finish_background(DecideId again);

 private:
  Step& append(StepKind kind);
  Step& last();

  System& system_;
  std::uint32_t first_;
  StageId stage_ = StageId::host;
  std::string note_;
  std::vector<std::uint32_t> open_forks_;
  std::vector<std::uint32_t> open_skips_;
  std::uint32_t detached_ = 0;  // the step, 0 if none
  std::int64_t seized_ = 0;
  bool locked_ = false;
  bool acknowledged_ = false;
};

}  // namespace storcast
