#include "sc_main/assembly/config/fronts.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>

#include "models/common/config_problem.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/validate.hpp"

namespace flashloom {
namespace {

std::string front_name(Front front) {
  switch (front) {
    case Front::Linux:
    case Front::LinuxTorture:
      return "a Linux guest";
    case Front::VfioUser:
      return "a vfio-user server";
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

void check_zones_behind(Front front, const std::string& name, const ZoneLayout& zones, std::uint64_t unit) {
  const char* const plain = "; valid: an FTL without zones, page_map for one";
  require(front != Front::Nbd && front != Front::KeptNbd, "ftl.kind",
          name + " cannot offer zones: its protocol has no commands of them" + plain);
  require(front != Front::Platform, "ftl.kind",
          name + " offers zones at the registers of an NVMe controller alone" + plain);
  require(front != Front::LinuxTorture, "ftl.kind",
          "scenarios of `flashloom torture --linux` write anywhere, zones are written in order" + std::string(plain));
  require(zones.random_units <= UINT16_MAX, "ftl.kind",
          fmt::format("{} tells of random write areas of {} sectors at most, and random_write_area has {}; "
                      "valid: {} B at most",
                      name, UINT16_MAX, zones.random_units, UINT16_MAX * unit));
  const std::uint64_t zone_bytes = zones.zone_units * unit;
  require(front != Front::Linux || std::has_single_bit(zone_bytes), "ftl.kind",
          fmt::format("{} takes zones of a power of two alone, and zone_size is {} B; valid: {} B", name, zone_bytes,
                      std::bit_ceil(zone_bytes)));
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
  if (const std::optional<ZoneLayout> zones = zones_of(device))
    check_zones_behind(front, name, *zones, device.ftl.mapping_unit);
  require(!nvme || device.host_interface.kind.name == "nvme", "host_interface.kind",
          name + " has a driver of NVMe; valid: nvme");
  if (front == Front::Linux || front == Front::VfioUser || served)
    require(device.power.cut_count() == 0, device.power.cuts != 0 ? "power.cuts" : "power.cut_at",
            "power cuts are for `flashloom run`; " +
                std::string(front == Front::Linux
                                ? "`flashloom torture --linux` cuts that of a Linux"
                                : "clients of " + std::string(served ? "NBD" : "vfio-user") + " know of no power") +
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
