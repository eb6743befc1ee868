// What an I/O asks of every station: sample I/Os walked through the compiled paths, no queueing.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/run/analytic.hpp"

namespace storcast {
namespace {

constexpr int samples_per_stream = 4096;

// One sample I/O on its way through a compiled path, without queueing.
class Walker {
 public:
  Walker(Assembly& assembly, double commands, std::vector<double> speeds)
      : system_(assembly.system()),
        commands_(commands),
        speeds_(std::move(speeds)),
        plan_(system_.most_members),
        single_s_(system_.stations.size()),
        background_s_(system_.stations.size()),
        servers_s_(system_.server_stations.size()),
        priority_s_(system_.priority_stations.size()),
        forks_(system_.stations.size()),
        members_(system_.stations.size()),
        scheduled_(system_.scheduled_stations.size()),
        visits_{std::vector<double>(system_.stations.size()),
                std::vector<double>(system_.server_stations.size()),
                std::vector<double>(system_.priority_stations.size()),
                std::vector<double>(system_.scheduled_stations.size())},
        rng_(1, "analytic walk") {}

  void walk(const Stream& stream, std::uint32_t connection, double weight) {
    sequential_ = stream.law == AddressLaw::sequential;
    Io io{};
    io.connection = static_cast<std::uint16_t>(connection);
    for (const Direction direction : {Direction::read, Direction::write}) {
      const bool read = direction == Direction::read;
      const double share = read ? stream.read_fraction : 1 - stream.read_fraction;
      if (share <= 0) continue;
      double before = 0;
      for (std::uint32_t i = 0; i < stream.read_sizes.size(); ++i) {
        const SizeChoice& size = stream.read_sizes[i];
        io.direction = direction;
        io.blocks = size.blocks;
        io.lba = rng_.below((stream.span_blocks - size.blocks) / stream.alignment_blocks + 1) *
                 stream.alignment_blocks;
        const std::uint32_t variant = system_.connections[connection].variant;
        weight_ = weight * share * (size.up_to - before);
        before = size.up_to;
        bytes_ += weight_ * static_cast<double>(size.blocks * block_bytes);
        run(io, stream.paths[(variant * 2 + (read ? 0u : 1u)) * stream.sizes_stride + i]);
      }
    }
    reads_ += weight * stream.read_fraction;
  }

  // One turn of a background path.
  void walk_row(const Io& row, double weight) {
    sequential_ = true;
    weight_ = weight;
    run(row, row.step);
  }

  [[nodiscard]] Demands demands() const {
    Demands d;
    d.stations = {{single_s_, servers_s_, priority_s_, {}}, visits_};
    for (std::size_t i = 0; i < single_s_.size(); ++i)
      d.stations.seconds.fcfs[i] += background_s_[i];
    for (const Scheduled& s : scheduled_) {
      d.stations.seconds.scheduled.push_back(s.foreground_s + s.background_s);
    }
    d.delay_s = delay_s_;
    d.bytes = bytes_;
    d.read_fraction = reads_;
    for (std::size_t g = 0; g < system_.groups.size(); ++g) {
      const StationGroup& group = system_.groups[static_cast<GroupId>(g)];
      d.groups.push_back(group_demand(group));
    }
    return d;
  }

 private:
  [[nodiscard]] GroupDemand group_demand(const StationGroup& group) const {
    GroupDemand d;
    if (group.kind == GroupKind::servers || group.kind == GroupKind::priority) {
      d.foreground_s =
          group.kind == GroupKind::servers ? servers_s_[group.first] : priority_s_[group.first];
      d.highest_queue_s = d.foreground_s / group.servers_each;
      return d;
    }
    double forks = 0;
    double members = 0;
    if (group.kind == GroupKind::scheduled) return scheduled_demand(group);
    for (std::uint32_t i = group.first; i < group.first + group.queues; ++i) {
      d.foreground_s += single_s_[i];
      d.background_s += background_s_[i];
      d.highest_queue_s = std::max(d.highest_queue_s, single_s_[i] + background_s_[i]);
      forks += forks_[i];
      members += members_[i];
    }
    // Hashed and striped queues are equally loaded in the long run; a sample's maximum is noise.
    if (group.kind == GroupKind::address || group.kind == GroupKind::drive) {
      d.highest_queue_s = (d.foreground_s + d.background_s) / group.queues;
    }
    if (forks > 0) d.parallel = std::max(1.0, members / forks);
    return d;
  }

  [[nodiscard]] GroupDemand scheduled_demand(const StationGroup& group) const {
    GroupDemand d;
    double forks = 0;
    double members = 0;
    for (std::uint32_t i = group.first; i < group.first + group.queues; ++i) {
      d.foreground_s += scheduled_[i].foreground_s;
      d.background_s += scheduled_[i].background_s;
      forks += scheduled_[i].forks;
      members += scheduled_[i].members;
    }
    d.highest_queue_s = (d.foreground_s + d.background_s) / group.queues;
    if (forks > 0) d.parallel = std::max(1.0, members / forks);
    return d;
  }

  void run(const Io& io, std::uint32_t first) {
    background_ = false;
    previous_ = last_;
    for (std::uint32_t pc = first;;) {
      const Step& step = system_.steps[pc];
      switch (step.kind) {
        case StepKind::fork:
          pc = run_fork(io, pc);
          continue;
        case StepKind::skip_if: {
          const bool skips = system_.decisions[step.function](io, {}, rng_);
          if (skips && step.aux <= pc) return;  // background work begins its next turn
          pc = skips ? step.aux : pc + 1;
          continue;
        }
        case StepKind::acknowledge:
          background_ = true;
          break;
        case StepKind::complete:
        case StepKind::retire:
          return;
        default:
          visit(step, io, 1);
      }
      ++pc;
    }
  }

  std::uint32_t run_fork(const Io& io, std::uint32_t pc) {
    const Step& fork = system_.steps[pc];
    plan_.clear();
    system_.plans[fork.function](io, static_cast<int>(fork.after_ps), plan_);
    const auto n = static_cast<double>(plan_.size());
    for (const MemberIo& member : plan_.ios()) {
      Io m = io;
      m.drive = member.drive;
      m.lba = member.lba;
      m.blocks = member.blocks;
      run_member(m, pc + 1, fork.aux, n);
    }
    return fork.aux + 1;
  }

  // Steps [first, end) of one of `members`; behind a detach its parent does not wait for it.
  void run_member(const Io& io, std::uint32_t first, std::uint32_t end, double members) {
    const bool before = background_;
    for (std::uint32_t i = first; i < end; ++i) {
      const Step& step = system_.steps[i];
      if (step.kind == StepKind::detach) background_ = true;
      if (step.kind == StepKind::skip_if) {
        if (system_.decisions[step.function](io, {}, rng_)) i = step.aux - 1;
      } else {
        visit(step, io, members);
      }
    }
    background_ = before;
  }

  void visit_scheduled(const Step& step, const Io& io, double members) {
    const std::uint64_t before = sequential_ ? io.lba : previous_;
    last_ = io.lba;
    double s = system_.expectations[step.function](io, before, step.aux != 0);
    if (!sequential_ && !speeds_.empty()) s /= speeds_[step.function];
    Scheduled& station = scheduled_[step.target + static_cast<std::size_t>(index_of(io.drive))];
    // What is read ahead is there when it is asked for.
    const bool later = background_ || (sequential_ && step.aux == 0);
    (later ? station.background_s : station.foreground_s) += weight_ * s;
    visits_.scheduled[step.target + static_cast<std::size_t>(index_of(io.drive))] += weight_;
    if (later) return;
    station.forks += weight_ / members;
    station.members += weight_;
  }

  [[nodiscard]] double mean_s(const Step& step, const Io& io) const {
    const double count = step.kind == StepKind::visit_gated
                             ? commands_
                             : static_cast<double>(io.blocks) * block_bytes;
    const double fixed = step.kind == StepKind::post_drive ? 0 : step.fixed_ps;
    return (fixed + static_cast<double>(step.slope) * count) / picoseconds_per_second;
  }

  // `members`: how many I/Os of the fork visit at the same time.
  void visit(const Step& step, const Io& io, double members) {
    const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
    std::uint32_t station = 0;
    switch (step.kind) {
      case StepKind::visit:
        station = step.target;
        break;
      case StepKind::visit_connection:
      case StepKind::visit_gated:
        station = system_.routes[step.target + io.connection];
        break;
      case StepKind::visit_drive:
      case StepKind::pass_drive:
      case StepKind::post_drive:
        station = step.target + drive;
        break;
      case StepKind::visit_address:
        station = step.target + drive * step.aux;  // which die does not matter for the sum
        break;
      case StepKind::visit_dies:
        read_flash(step, io, members);
        delay(step, members);
        return;
      case StepKind::write_flash:
        write_flash(step, io);
        delay(step, members);
        return;
      case StepKind::visit_servers:
        station = step.routed != 0 ? system_.routes[step.target + io.connection] : step.target;
        servers_s_[station] += weight_ * mean_s(step, io);
        visits_.servers[station] += weight_;
        delay(step, members);
        return;
      case StepKind::visit_scheduled:
        visit_scheduled(step, io, members);
        return;
      case StepKind::visit_priority:
        priority_s_[step.target] += weight_ * mean_s(step, io);
        visits_.priority[step.target] += weight_;
        return;
      case StepKind::delay:
        if (!background_) delay_s_ += weight_ * step.fixed_ps / picoseconds_per_second / members;
        return;
      default:
        return;
    }
    const bool later = background_ || step.kind == StepKind::post_drive;
    (later ? background_s_ : single_s_)[station] += weight_ * mean_s(step, io);
    visits_.fcfs[station] += weight_;
    if (!later) {
      forks_[station] += weight_ / members;
      members_[station] += weight_;
    }
    delay(step, members);
  }

  // Units at as many dies at once.
  void read_flash(const Step& step, const Io& io, double members) {
    const FlashTraits& traits = system_.flash[step.function].traits();
    const double units = std::ceil(static_cast<double>(io.blocks) / traits.read_blocks);
    const auto bytes = static_cast<double>(io.blocks) * block_bytes;
    const std::size_t station = step.target + index_of(io.drive) * step.aux;
    (background_ ? background_s_ : single_s_)[station] +=
        weight_ * (units * step.fixed_ps + static_cast<double>(step.slope) * bytes) /
        picoseconds_per_second;
    visits_.fcfs[station] += weight_ * units;
    if (background_) return;
    forks_[station] += weight_ / members;
    members_[station] += weight_ * units;
  }

  // Work of the drain and of the dies that no write waits for.
  void write_flash(const Step& step, const Io& io) {
    const Flash& flash = system_.flash[step.function];
    const auto drive = static_cast<std::uint32_t>(index_of(io.drive));
    const auto bytes = static_cast<double>(io.blocks) * block_bytes;
    const Flash::WriteCost cost = flash.write_cost(drive, bytes, step.priority != 0);
    background_s_[step.target + drive] += weight_ * cost.drain_ps / picoseconds_per_second;
    visits_.fcfs[step.target + drive] += weight_;
    const std::size_t die = flash.traits().first_die + std::size_t{drive} * flash.traits().dies;
    background_s_[die] += weight_ * cost.dies_ps / picoseconds_per_second;
    visits_.fcfs[die] += weight_;
  }

  void delay(const Step& step, double members) {
    if (!background_) delay_s_ += weight_ * step.after_ps / picoseconds_per_second / members;
  }

  System& system_;
  struct Scheduled {
    double foreground_s = 0, background_s = 0, forks = 0, members = 0;
  };
  double commands_;
  std::vector<double> speeds_;
  MemberPlan plan_;
  std::vector<double> single_s_, background_s_, servers_s_, priority_s_, forks_, members_;
  std::vector<Scheduled> scheduled_;
  StationTables visits_;
  Rng rng_;
  std::uint64_t previous_ = 0, last_ = 0;  // where the head was left by the I/O before, by this one
  bool sequential_ = false;
  double weight_ = 0, delay_s_ = 0, bytes_ = 0, reads_ = 0;
  bool background_ = false;
};

}  // namespace

Demands measure_demands(Assembly& assembly, const std::vector<double>& stream_weights,
                        double commands, const std::vector<double>& speeds) {
  Walker walker(assembly, commands, speeds);
  const System& system = assembly.system();
  for (std::size_t i = 0; i < system.streams.size(); ++i) {
    const Stream& stream = system.streams[i];
    // Whole rounds over the connections, so that what is statically bound is exact.
    const std::uint32_t rounds = std::max(1u, samples_per_stream / stream.connections);
    const double weight = stream_weights[i] / (static_cast<double>(rounds) * stream.connections);
    for (std::uint32_t r = 0; r < rounds; ++r) {
      for (std::uint32_t c = 0; c < stream.connections; ++c) {
        walker.walk(stream, stream.first_connection + c, weight);
      }
    }
  }
  return walker.demands();
}

Demands measure_row_demands(Assembly& assembly, const std::vector<Io>& starts, int rows) {
  Walker walker(assembly, 0, {});
  for (int i = 0; i < rows; ++i) {
    walker.walk_row(starts[static_cast<std::size_t>(i) % starts.size()], 1.0 / rows);
  }
  return walker.demands();
}

}  // namespace storcast
