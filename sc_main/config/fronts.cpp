#include "sc_main/config/fronts.hpp"

#include <string>

#include "controllers/ftl/ftl_rules.hpp"
#include "models/common/config_problem.hpp"
#include "sc_main/config/validate.hpp"

namespace flashloom {
namespace {

std::string front_name(Front front) {
  switch (front) {
    case Front::Linux:
    case Front::LinuxTorture:
      return "a Linux guest";
    case Front::Nbd:
    case Front::KeptNbd:
      return "an NBD server";
    case Front::NvmeController:
      return "an NVMe controller";
    case Front::Platform:
      break;
  }
  return "a virtual platform";
}

}  // namespace

void check_front(const DeviceConfig& device, Front front) {
  const std::string name = front_name(front);
  const bool served = front == Front::Nbd || front == Front::KeptNbd;
  const bool nvme = !served && front != Front::Platform;
  require(!device.heap.present(), "heap.nvram.kind",
          name + " stands where an object heap would; valid: no [heap], that is heap.nvram.kind = \"none\"");
  require(!device.host.has_cost(), device.host.cost_key(),
          name +
              " has a driver of its own, whose time is its own, too; valid: \"none\", with host.submit_cost and "
              "host.complete_cost 0 s");
  require(served || device.host.cache.size == 0, "host.cache.size",
          name + " has the page cache of its own system; valid: 0 B");
  require(served || device.hdd.capacity == 0, "hdd.capacity",
          name + " is in front of an SSD alone, which is no cache of a hard disk; valid: 0 B");
  require(front != Front::KeptNbd || device.hdd.capacity == 0, "hdd.capacity",
          "a tier cannot be saved (--state); valid: 0 B, the SSD alone");
  require(!nvme || device.hmb.revoke_at + device.hmb.lost_at == 0,
          device.hmb.lost_at != 0 ? "hmb.lost_at" : "hmb.revoke_at",
          name + " lends its memory and takes it back by its driver; valid: hmb.revoke_at and hmb.lost_at 0 s");
  require(!nvme || !device.hmb.on() || !device.hmb.writes_back(), "hmb.map_update",
          name +
              " may reset the controller, and what was in its memory is lost then; valid: write_through, or hmb.size "
              "0 B");
  require(!device.array.present(), "array.level", name + " is in front of one device, not of an array; valid: none");
  require(!is_zoned(device.ftl), "ftl.kind",
          name + " has no commands of zones yet; valid: an FTL without zones, page_map for one");
  require(!nvme || device.host_interface.kind.name == "nvme", "host_interface.kind",
          name + " has a driver of NVMe; valid: nvme");
  if (front == Front::Linux || served)
    require(device.power.cut_count() == 0, device.power.cuts != 0 ? "power.cuts" : "power.cut_at",
            "power cuts are for `flashloom run`; " +
                std::string(served ? "clients of NBD know of no power"
                                   : "`flashloom torture --linux` cuts that of a Linux") +
                "; valid: none");
}

void require_front(const LoadedConfig& config, Front front) {
  try {
    check_front(config.device, front);
  } catch (const ConfigProblem& problem) {
    throw worded(problem, config.origins);
  }
}

}  // namespace flashloom
