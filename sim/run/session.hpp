// One simulated run: the kernel, its record in blocks, the rule that ends it, the timeline's
// actions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/platform/simgrid_cosim.hpp"
#include "sim/run/analytic.hpp"
#include "sim/run/blocks.hpp"
#include "sim/run/experiment.hpp"
#include "sim/run/window.hpp"

namespace storcast {

class Session {
 public:
  Session(const Scenario& scenario, Assembly& assembly, const AnalyticAnswer& expected,
          const RunOptions& options);

  void run();

  [[nodiscard]] const Blocks& blocks() const { return blocks_; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Recorder& recorder() const { return recorder_; }
  [[nodiscard]] const std::string& stop_reason() const { return stop_reason_; }
  [[nodiscard]] bool converged() const { return converged_; }
  [[nodiscard]] const std::vector<TimelineNote>& notes() const { return notes_; }

 private:
  Time advance_until(Time horizon);
  void end_slice();
  void end_block();
  void decide_to_stop();
  void stop(std::string reason, bool converged);
  void act(const TimelineEntry& entry);
  void start_rebuilds();
  void note_rebuilds();
  [[nodiscard]] std::vector<GroupSnapshot> snapshot() const;
  void add_pending(std::vector<GroupSnapshot>& snapshots) const;
  [[nodiscard]] std::uint32_t station_of(const Step& step, const Io& io) const;

  const Scenario& scenario_;
  Assembly& assembly_;
  const RunOptions& options_;
  Recorder recorder_;
  Kernel kernel_;
  Blocks blocks_;
  std::vector<std::uint16_t> group_of_station_;
  std::vector<Slice> slices_;
  Slice before_;  // totals of the current block at the last slice
  Time next_slice_{};
  Time limit_{};
  std::uint64_t ios_ = 0;
  bool finished_ = false, converged_ = false;
  std::string stop_reason_;
  std::vector<TimelineNote> notes_;
};

}  // namespace storcast
