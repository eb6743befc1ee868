#include "sim/kernel/path.hpp"

#include <limits>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/kernel/scheduled_station.hpp"
#include "sim/kernel/system.hpp"

namespace storcast {
namespace {

constexpr std::uint32_t none = Step::no_pool;

std::uint32_t folded(Duration after) {
  INVARIANT(after.count() >= 0 && after.count() <= std::numeric_limits<std::uint32_t>::max(),
            "a delay that is folded into a visit is at most 4.29 ms");
  return static_cast<std::uint32_t>(after.count());
}

void set_demand(Step& step, const ServiceDemand& demand) {
  INVARIANT(demand.fixed.count() >= 0 && demand.ps_per_byte >= 0,
            "a service demand is not negative");
  step.shape = static_cast<std::uint16_t>(demand.shape);
  step.slope = static_cast<float>(demand.ps_per_byte);
  step.fixed_ps = static_cast<double>(demand.fixed.count());
}

}  // namespace

PathBuilder::PathBuilder(System& system)
    : system_(system), first_(static_cast<std::uint32_t>(system.steps.size())) {}

Step& PathBuilder::append(StepKind kind) {
  system_.steps.push_back({.kind = kind, .stage = stage_});
  system_.infos.push_back({note_});
  return system_.steps.back();
}

Step& PathBuilder::last() {
  INVARIANT(system_.steps.size() > first_, "a modifier follows a step");
  return system_.steps.back();
}

PathBuilder& PathBuilder::stage(StageId stage) {
  INVARIANT(open_forks_.empty(), "a fork and its join lie in one stage");
  stage_ = stage;
  return *this;
}

PathBuilder& PathBuilder::note(std::string what) {
  note_ = std::move(what);
  return *this;
}

PathBuilder& PathBuilder::visit(GroupId group, ServiceDemand demand, Duration after) {
  return visit(system_.groups[group], demand, after);
}

PathBuilder& PathBuilder::visit(const StationGroup& g, ServiceDemand demand, Duration after) {
  INVARIANT(g.kind != GroupKind::priority && g.kind != GroupKind::scheduled,
            "a priority station is visited with a priority");
  constexpr StepKind kinds[] = {StepKind::visit,         StepKind::visit_connection,
                                StepKind::visit_drive,   StepKind::visit_address,
                                StepKind::visit_servers, StepKind::visit_priority};
  Step& step = append(kinds[static_cast<std::size_t>(g.kind)]);
  step.target = g.kind == GroupKind::connection ? g.route_table : g.first;
  step.aux = g.queues_per_drive;
  set_demand(step, demand);
  step.after_ps = folded(after);
  return *this;
}

PathBuilder& PathBuilder::visit_servers(std::uint32_t server_routes, ServiceDemand demand,
                                        Duration after) {
  Step& step = append(StepKind::visit_servers);
  step.target = server_routes;
  step.routed = 1;
  set_demand(step, demand);
  step.after_ps = folded(after);
  return *this;
}

PathBuilder& PathBuilder::visit_priority(GroupId group, ServiceDemand demand, int priority) {
  const StationGroup& g = system_.groups[group];
  INVARIANT(g.kind == GroupKind::priority, "only a priority station knows priorities");
  INVARIANT(priority >= 0 && priority < PriorityStation::priorities, "priorities are 0 to 3");
  Step& step = append(StepKind::visit_priority);
  step.target = g.first;
  step.priority = static_cast<std::uint8_t>(priority);
  set_demand(step, demand);
  append(StepKind::leave_priority).target = g.first;
  return *this;
}

PathBuilder& PathBuilder::visit_model(GroupId group, ServiceId model) {
  INVARIANT(system_.groups[group].kind == GroupKind::single, "a model serves one queue");
  Step& step = append(StepKind::visit_model);
  step.target = system_.groups[group].first;
  step.function = static_cast<std::uint16_t>(model);
  return *this;
}

PathBuilder& PathBuilder::visit_scheduled(GroupId group, int priority, bool writes) {
  const StationGroup& g = system_.groups[group];
  INVARIANT(g.kind == GroupKind::scheduled, "only a scheduled station chooses");
  INVARIANT(priority >= 0 && priority < ScheduledStation::priorities, "priorities are 0 to 3");
  Step& step = append(StepKind::visit_scheduled);
  step.target = g.first;
  step.function = static_cast<std::uint16_t>(g.schedule);
  step.priority = static_cast<std::uint8_t>(priority);
  step.aux = writes ? 1 : 0;
  Step& leave = append(StepKind::leave_scheduled);
  leave.target = g.first;
  leave.function = static_cast<std::uint16_t>(g.schedule);
  return *this;
}

PathBuilder& PathBuilder::post(GroupId group, double ps_per_byte, Duration buffered,
                               Duration after) {
  INVARIANT(system_.groups[group].kind == GroupKind::drive, "a buffer belongs to a drive");
  INVARIANT(ps_per_byte >= 0 && buffered.count() >= 0, "a buffer's times are not negative");
  Step& step = append(StepKind::post_drive);
  step.target = system_.groups[group].first;
  step.slope = static_cast<float>(ps_per_byte);
  step.fixed_ps = static_cast<double>(buffered.count());
  step.after_ps = folded(after);
  return *this;
}

PathBuilder& PathBuilder::visit_dies(FlashId flash, ServiceDemand demand, Duration after) {
  const FlashTraits& traits = system_.flash[index_of(flash)].traits();
  Step& step = append(StepKind::visit_dies);
  step.function = static_cast<std::uint16_t>(flash);
  step.target = traits.first_die;
  step.aux = traits.dies;
  set_demand(step, demand);
  step.after_ps = folded(after);
  return *this;
}

PathBuilder& PathBuilder::write_flash(FlashId flash, bool sequential, Duration after) {
  Step& step = append(StepKind::write_flash);
  step.function = static_cast<std::uint16_t>(flash);
  step.target = system_.flash[index_of(flash)].traits().first_drain;
  step.priority = sequential ? 1 : 0;
  step.after_ps = folded(after);
  return *this;
}

PathBuilder& PathBuilder::chained() {
  INVARIANT(system_.steps.size() >= first_ + 2, "a chained visit follows a visit");
  Step& before = system_.steps[system_.steps.size() - 2];
  INVARIANT(before.kind == StepKind::visit_drive &&
                (last().kind == StepKind::visit_address || last().kind == StepKind::visit_dies),
            "only behind a drive's own single queue do its arrivals come in order");
  before.kind = StepKind::pass_drive;
  return *this;
}

PathBuilder& PathBuilder::gated() {
  Step& step = last();
  INVARIANT(step.kind == StepKind::visit_connection && step.slope == 0 && step.shape == 0,
            "connections are opened and closed, and the demand of a gated visit is fixed");
  step.kind = StepKind::visit_gated;
  step.aux = none;
  return *this;
}

PathBuilder& PathBuilder::per_outstanding(std::uint32_t pool_routes, double ps) {
  Step& step = last();
  INVARIANT(step.kind == StepKind::visit_gated, "commands are counted where they are gated");
  INVARIANT(ps >= 0, "a service demand is not negative");
  step.aux = pool_routes;
  step.slope = static_cast<float>(ps);
  return *this;
}

PathBuilder& PathBuilder::delay(Duration latency) {
  INVARIANT(latency.count() >= 0, "a delay is not negative");
  append(StepKind::delay).fixed_ps = static_cast<double>(latency.count());
  return *this;
}

PathBuilder& PathBuilder::seize(PoolId pool, std::uint32_t tokens) {
  INVARIANT(tokens <= system_.pools[index_of(pool)].capacity(),
            "an I/O never needs more tokens than the pool has");
  Step& step = append(StepKind::seize);
  step.target = static_cast<std::uint32_t>(pool);
  step.aux = tokens;
  seized_ += tokens;
  return *this;
}

PathBuilder& PathBuilder::release(PoolId pool, std::uint32_t tokens) {
  Step& step = append(StepKind::release);
  step.target = static_cast<std::uint32_t>(pool);
  step.aux = tokens;
  seized_ -= tokens;
  INVARIANT(seized_ >= 0, "tokens are released after they were seized");
  return *this;
}

PathBuilder& PathBuilder::seize_routed(std::uint32_t pool_routes, std::uint32_t tokens) {
  Step& step = append(StepKind::seize);
  step.routed = 1;
  step.target = pool_routes;
  step.aux = tokens;
  seized_ += tokens;
  return *this;
}

PathBuilder& PathBuilder::release_routed(std::uint32_t pool_routes, std::uint32_t tokens) {
  Step& step = append(StepKind::release);
  step.routed = 1;
  step.target = pool_routes;
  step.aux = tokens;
  seized_ -= tokens;
  INVARIANT(seized_ >= 0, "tokens are released after they were seized");
  return *this;
}

PathBuilder& PathBuilder::seize_by_drive(PoolId first, std::uint32_t tokens) {
  seize(first, tokens);
  last().routed = 2;
  return *this;
}

PathBuilder& PathBuilder::release_by_drive(PoolId first, std::uint32_t tokens) {
  release(first, tokens);
  last().routed = 2;
  return *this;
}

PathBuilder& PathBuilder::lock(LockId locks) {
  INVARIANT(!locked_ && open_forks_.empty(), "an I/O locks once at a time, outside of forks");
  append(StepKind::lock).function = static_cast<std::uint16_t>(locks);
  locked_ = true;
  return *this;
}

PathBuilder& PathBuilder::unlock(LockId locks) {
  INVARIANT(locked_ && open_forks_.empty(), "what was locked is unlocked, outside of forks");
  append(StepKind::unlock).function = static_cast<std::uint16_t>(locks);
  locked_ = false;
  return *this;
}

PathBuilder& PathBuilder::skip_if(DecideId decision) {
  open_skips_.push_back(static_cast<std::uint32_t>(system_.steps.size()));
  append(StepKind::skip_if).function = static_cast<std::uint16_t>(decision);
  return *this;
}

PathBuilder& PathBuilder::resume() {
  INVARIANT(!open_skips_.empty(), "resume() ends a skip_if()");
  system_.steps[open_skips_.back()].aux = static_cast<std::uint32_t>(system_.steps.size());
  open_skips_.pop_back();
  return *this;
}

PathBuilder& PathBuilder::fork(PlanId plan, int phase, bool last_phase) {
  INVARIANT(open_forks_.empty(), "forks do not nest");
  open_forks_.push_back(static_cast<std::uint32_t>(system_.steps.size()));
  Step& step = append(StepKind::fork);
  step.function = static_cast<std::uint16_t>(plan);
  step.after_ps = static_cast<std::uint32_t>(phase);
  step.priority = last_phase ? 1 : 0;
  return *this;
}

PathBuilder& PathBuilder::detach() {
  INVARIANT(!open_forks_.empty() && open_skips_.empty() && detached_ == 0,
            "a member of a fork detaches once, whatever it skipped");
  const std::uint32_t fork = open_forks_.back();
  bool waited = false;
  for (std::size_t i = fork + 1; i < system_.steps.size(); ++i) {
    const Step& step = system_.steps[i];
    if (step.kind == StepKind::skip_if) i = step.aux - 1;  // what is skipped is no wait
    waited = waited || (step.kind != StepKind::seize && step.kind != StepKind::release &&
                        step.kind != StepKind::skip_if);
  }
  INVARIANT(waited, "a member visits something before it detaches, or the parent never waits");
  system_.steps[fork].priority = 0;  // it needs an Io of its own
  detached_ = static_cast<std::uint32_t>(system_.steps.size());
  append(StepKind::detach);
  return *this;
}

PathBuilder& PathBuilder::join() {
  INVARIANT(!open_forks_.empty(), "a join ends a fork");
  if (detached_ != 0) {
    append(StepKind::retire);
    system_.steps[detached_].aux = static_cast<std::uint32_t>(system_.steps.size());
    detached_ = 0;
  }
  const std::uint32_t fork = open_forks_.back();
  const auto join = static_cast<std::uint32_t>(system_.steps.size());
  INVARIANT(join > fork + 1, "a member visits at least one station");
  system_.steps[fork].aux = join;
  open_forks_.pop_back();
  append(StepKind::join);
  return *this;
}

PathBuilder& PathBuilder::acknowledge() {
  INVARIANT(!acknowledged_ && open_forks_.empty(), "an I/O is acknowledged once");
  append(StepKind::acknowledge);
  acknowledged_ = true;
  return *this;
}

std::uint32_t PathBuilder::finish() {
  INVARIANT(open_forks_.empty() && open_skips_.empty(), "a path ends outside forks and skips");
  INVARIANT(seized_ == 0, "what a path seizes it releases");
  INVARIANT(!locked_, "what a path locks it unlocks");
  append(acknowledged_ ? StepKind::retire : StepKind::complete);
  return first_;
}

std::uint32_t PathBuilder::finish_background(DecideId again) {
  INVARIANT(open_forks_.empty() && seized_ == 0 && !acknowledged_,
            "background work ends outside forks, holds nothing and responds to nobody");
  Step& back = append(StepKind::skip_if);
  back.function = static_cast<std::uint16_t>(again);
  back.aux = first_;
  while (!open_skips_.empty()) resume();
  append(StepKind::retire);
  return first_;
}

}  // namespace storcast
