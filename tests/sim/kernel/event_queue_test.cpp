#include "sim/kernel/event_queue.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/random.hpp"

using namespace storcast;

namespace {

constexpr Duration second{1'000'000'000'000};

// The queue beside a plain ordered map: every operation is applied to both.
class QueueUnderTest {
 public:
  QueueUnderTest(std::size_t capacity, Duration spacing) : queue(capacity, spacing) {
    for (std::size_t i = capacity; i-- > 0;) free_.push_back(static_cast<IoId>(i));
  }
  void push(Time at) {
    const IoId id = free_.back();
    free_.pop_back();
    queue.push(at, id);
    reference_.emplace(std::pair{at, order_++}, id);
  }
  // Pops from both. False: they differ.
  bool pop() {
    const auto first = reference_.begin();
    const Time top = queue.top_time();
    const Event event = queue.pop();
    return matches(event, top == event.at, first);
  }
  bool pop_before(Time horizon) {
    const auto first = reference_.begin();
    const bool expected = first != reference_.end() && first->first.first < horizon;
    Event event{};
    if (queue.pop_before(horizon, event) != expected) return false;
    return !expected || matches(event, true, first);
  }
  [[nodiscard]] bool holds_the_same() const {
    std::set<std::pair<Time, IoId>> expected, found;
    for (const auto& [key, id] : reference_) expected.emplace(key.first, id);
    std::size_t calls = 0;
    queue.for_each([&](Time at, IoId id) {
      found.emplace(at, id);
      ++calls;
    });
    return calls == reference_.size() && queue.size() == calls && found == expected;
  }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] bool empty() const { return reference_.empty(); }
  [[nodiscard]] Time now() const { return now_; }

  EventQueue queue;

 private:
  using Reference = std::map<std::pair<Time, std::uint64_t>, IoId>;
  bool matches(const Event& event, bool good, Reference::iterator first) {
    const bool same = good && event.at == first->first.first && event.io == first->second;
    now_ = event.at;
    free_.push_back(event.io);
    reference_.erase(first);
    return same;
  }
  Reference reference_;
  std::vector<IoId> free_;
  std::uint64_t order_ = 0;
  Time now_{};
};

// Gaps of every size: none, one picosecond, about a slot, about a lap, beyond all laps.
Duration any_gap(Rng& rng) {
  const std::uint64_t kind = rng.below(20'000);
  if (kind < 4) return 100'000 * second;
  if (kind < 40) return second;
  if (kind < 4'000) return Duration{0};
  if (kind < 6'000) return Duration{1};
  const auto log2 = static_cast<int>(rng.below(40));
  return Duration{static_cast<std::int64_t>(rng.below(std::uint64_t{1} << log2))};
}

// A run of random pushes and pops; returns the number of differences.
int differences(QueueUnderTest& q, Rng& rng, int operations) {
  int wrong = 0;
  for (int i = 0; i < operations; ++i) {
    if (!q.full() && (q.empty() || rng.below(2) == 0)) {
      q.push(q.now() + any_gap(rng));
    } else if (!q.pop()) {
      ++wrong;
    }
    if (i % 4096 == 0 && !q.holds_the_same()) ++wrong;
  }
  while (!q.empty()) wrong += q.pop() ? 0 : 1;
  return wrong + (q.queue.empty() ? 0 : 1);
}

}  // namespace

TEST_CASE("the event queue pops in the order of an ordered map, whatever the slot's length") {
  for (const std::int64_t spacing :
       {1ll, 1'000ll, 1'000'000ll, 1'000'000'000ll, 1'000'000'000'000ll}) {
    CAPTURE(spacing);
    QueueUnderTest q(64, Duration{spacing});
    Rng rng(7, "event queue " + std::to_string(spacing));
    CHECK(differences(q, rng, 100'000) == 0);
  }
}

TEST_CASE("the event queue returns equal times in the order in which they were pushed") {
  QueueUnderTest q(1'000, Duration{1'000});
  for (const std::int64_t ps : {5ll, 5'000'000ll, 20'000'000'000ll, 900'000'000'000'000ll}) {
    for (int i = 0; i < 1'000; ++i) q.push(Time{Duration{ps}});
    int wrong = 0;
    while (!q.empty()) wrong += q.pop() ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("crowded slots are re-dealt without changing the order") {
  // 1,000 events in flight over 100 us in slots of 1 us: shorter slots after 4,096 of them.
  QueueUnderTest q(1'000, Duration{1 << 20});
  Rng rng(3, "crowd");
  int wrong = 0;
  while (!q.full()) q.push(Time{Duration{static_cast<std::int64_t>(rng.below(100'000'000))}});
  for (int i = 0; i < 300'000; ++i) {
    wrong += q.pop() ? 0 : 1;
    // Some far events wait while the wheel is re-dealt.
    const std::uint64_t most = i % 1'000 == 0 ? 50'000'000'000'000u : 100'000'000u;
    q.push(q.now() + Duration{static_cast<std::int64_t>(rng.below(most))});
  }
  CHECK(wrong == 0);
  CHECK(q.holds_the_same());
}

TEST_CASE("events that were scheduled behind an opened slot come before it") {
  QueueUnderTest q(8, Duration{1'000});
  q.push(Time{10 * second});
  CHECK(q.pop_before(Time{second}));  // nothing: the slot of second 10 is open now
  q.push(Time{2 * second});
  q.push(Time{10 * second});
  q.push(Time{Duration{1}});
  for (int i = 0; i < 4; ++i) CHECK(q.pop_before(Time{11 * second}));
  CHECK(q.empty());
}

TEST_CASE("pop_before leaves events at and after the horizon") {
  EventQueue queue(4, Duration{1'000});
  Event event{};
  CHECK_FALSE(queue.pop_before(Time{second}, event));
  queue.push(Time{Duration{500}}, IoId{2});
  CHECK_FALSE(queue.pop_before(Time{Duration{500}}, event));
  CHECK(queue.size() == 1);
  REQUIRE(queue.pop_before(Time{Duration{501}}, event));
  CHECK(event.io == IoId{2});
  CHECK(event.at == Time{Duration{500}});
  CHECK(queue.empty());
}

TEST_CASE("random horizons give the same events as an ordered map") {
  QueueUnderTest q(256, Duration{100'000});
  Rng rng(11, "horizons");
  int wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (!q.full() && rng.below(2) == 0) q.push(q.now() + any_gap(rng));
    const Duration ahead{static_cast<std::int64_t>(rng.below(std::uint64_t{1} << rng.below(44)))};
    wrong += q.pop_before(q.now() + ahead) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(q.holds_the_same());
}
