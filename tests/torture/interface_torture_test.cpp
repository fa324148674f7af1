// Power cuts of drives behind their host interface: both protocols, weighted queues, coalesced interrupts, namespaces,
// trims of several ranges, write zeroes. 100 cuts for each; 5,000 with ./check --long.
#include "sc_main/verify/interface_torture.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"

namespace flashloom::interface_torture_test {
namespace {

struct Shape {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"sata", "slc-small-block", {}},
      {"sata_without_ncq", "slc-small-block", {"host_interface.queue_depth=1"}},
      {"sata_tiny", "tiny", {"link.kind=sata", "host_interface.kind=sata", "host_interface.queue_depth=32"}},
      {"weighted_coalesced_namespaces",
       "tiny",
       {"host.queues=4", "host_interface.commands=8",
        "host.queue_priorities=[\"urgent\", \"high\", \"medium\", \"low\"]",
        "host_interface.namespaces=[\"256 KiB\", \"1 MiB\"]",
        "host_interface.kind={ name = \"nvme\", arbitration = \"weighted\", burst = 4, coalesce_threshold = 4, "
        "coalesce_time = \"100 us\", fetch_lists = true }"}},
      {"coalesced_with_capacitors",
       "tiny",
       {"host.queues=2", "power.plp=true",
        "host_interface.kind={ name = \"nvme\", coalesce_threshold = 16, coalesce_time = \"300 us\" }"}},
      {"fair_flash", "tiny", {"host.queues=3", "ftl.arbitration=fair"}},
      // Power cuts meet commands in the driver, which must not send them to a device without power.
      {"slow_driver", "tiny", {"host.queues=4", "host.submit_latency=200 us", "host.complete_latency=10 us"}},
      // The host takes its memory back and returns it with requests in flight; later cuts find it lent.
      {"host_memory_asked_back",
       "tiny",
       {"nand.blocks=24", "ftl.over_provisioning=2.5", "ftl.kind=dftl", "ftl.kind.cmt_size=64 B", "hmb.size=4 KiB",
        "hmb.map_update=write_back", "hmb.revoke_at=3 ms", "hmb.return_at=9 ms"}},
      {"host_memory_lost",
       "tiny",
       {"nand.blocks=24", "ftl.over_provisioning=2.5", "ftl.kind=dftl", "ftl.kind.cmt_size=64 B", "hmb.size=4 KiB",
        "hmb.lost_at=3 ms", "hmb.return_at=9 ms", "dram.size=0 B", "sram.size=2 MiB"}},
      {"failed_programs",
       "tiny",
       {"ftl.over_provisioning=2", "nand.program_failure_rate=0.003", "nand.erase_failure_rate=0.002"}},
      {"die_failure",
       "tiny",
       {"ftl.over_provisioning=2", "nand.spare_size=2208 B", "nand.errors.model=power_law", "nand.errors.base=0",
        "nand.errors.wear_factor=0", "nand.errors.retention_factor=0", "nand.errors.disturb_factor=0",
        "nand.die_failure_at=5000", "nand.failed_die=1"}},
      // So small that writes, trims and evictions meet in the same units.
      {"trims_in_nvram",
       "tiny",
       {"nvram.kind=stt_mram", "nvram.size=1 MiB", "buffer.location=nvram", "buffer.size=64 KiB",
        "host_interface.sector_size=4 KiB", "host_interface.namespaces=[\"64 KiB\"]"}},
      // So slow that cuts interrupt the removal of trimmed and of destaged data from NVRAM.
      {"trims_in_slow_nvram",
       "tiny",
       {"nvram.kind=pcm", "nvram.size=1 MiB", "nvram.bandwidth=10 MB/s", "buffer.location=nvram",
        "buffer.size=64 KiB"}}};
  return all;
}

class InterfaceOfDrives : public testing::TestWithParam<std::size_t> {};

TEST_P(InterfaceOfDrives, LosesNothingThatMustSurvive) {
  const Shape& shape = shapes()[GetParam()];
  const std::uint64_t cuts = effort(40, 5'000);
  const Json result = in_child([&]() -> Json {
    InterfaceTorture drive(small_preset(shape.preset, shape.overrides), 1);
    const bool good = drive.run(cuts);
    for (const std::string& line : drive.failure().history)
      if (!good) std::cout << "  " << line << '\n';
    const InterfaceTortureCounts counts = drive.counts();
    return {{"good", good},        {"what", drive.failure().what},  {"cut", drive.failure().cut},
            {"lost", counts.lost}, {"completed", counts.completed}, {"sectors", counts.sectors_checked}};
  });
  ASSERT_TRUE(result["good"].get<bool>()) << "cut " << result["cut"] << ": " << result["what"];
  std::cout << cuts << " cuts, " << result["lost"] << " requests struck; " << result["sectors"]
            << " sectors verified\n";
  EXPECT_GT(result["lost"].get<std::uint64_t>(), cuts);
  for (const Json& count : result["completed"]) EXPECT_GT(count.get<std::uint64_t>(), cuts / 10);
}

INSTANTIATE_TEST_SUITE_P(EveryProtocol, InterfaceOfDrives, testing::Range<std::size_t>(0, shapes().size()),
                         [](const auto& test) { return std::string(shapes()[test.param].name); });

}  // namespace
}  // namespace flashloom::interface_torture_test
