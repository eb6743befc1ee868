#include "models/drive.hpp"

#include <catch2/catch.hpp>

#include "models/null_drive.hpp"
#include "models/ssd.hpp"
#include "tests/support/sheet.hpp"

using namespace storcast;

namespace {

template <class Drive>
typename Drive::Params least(const std::string& text) {
  Problems problems;
  const auto p = testing::read_sheet(Drive::schema(), text, problems);
  REQUIRE(problems.empty());
  return p;
}

const std::string null_text = "service_time: 100us\ncapacity: 1TB\n";
const std::string ssd_text =
    "capacity: 1TB\nraw_capacity: 1.2TB\ndies: 16\nfixed_read: 10us\nread_iops_max: 1M\n"
    "read_rate: 6GB/s\nwrite_rate: 3GB/s\nwrite_acknowledge: 15us\n";

template <class Drive>
void check_model(const std::string& text) {
  System system;
  Drive drive = Drive::install(system, "d", 5, least<Drive>(text));
  CHECK(drive.capacity().value == 1'000'000'000'000);
  CHECK(system.groups[drive.busiest()].queues % 5 == 0);
  for (const StationGroup& group : system.groups) {
    CHECK(group.name.starts_with("d"));
    CHECK(group.queues % 5 == 0);
  }
  for (const bool reads : {true, false}) {
    PathBuilder path(system);
    const std::size_t before = system.steps.size();
    path.fork(PlanId{0}, 0, true);
    reads ? drive.append_read(path) : drive.append_write(path, false);
    CHECK(system.steps.size() > before + 1);
    CHECK_NOTHROW(path.join().finish());
  }
}

}  // namespace

TEST_CASE("each drive model installs queues for every drive and fills forks") {
  check_model<NullDrive>(null_text);
  check_model<Ssd>(ssd_text);
}

TEST_CASE("only an SSD has a power figure; the null drive has none") {
  System system;
  CHECK(Ssd::install(system, "s", 1, least<Ssd>(ssd_text)).power().reading.value > 0);
  CHECK(NullDrive::install(system, "n", 1, least<NullDrive>(null_text)).power().idle.value == 0);
}
