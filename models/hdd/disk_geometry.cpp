#include "models/hdd/disk_geometry.hpp"

#include <algorithm>

#include "models/common/config_problem.hpp"

namespace flashloom {
DiskGeometry::DiskGeometry(const HddConfig& config)
    : revolution_(config.rpm == 0 ? 1 : (60 * kSecond + config.rpm / 2) / config.rpm),
      heads_(config.heads),
      sectors_(config.physical_sector == 0 ? 0 : config.capacity / config.physical_sector),
      head_skew_(config.head_switch + config.track_settle),
      cylinder_skew_((config.heads - 1) * head_skew_ + config.track_to_track + config.track_settle) {
  require(config.rpm != 0, "hdd.rpm", "a disk turns");
  require(config.heads != 0, "hdd.heads", "a disk has one at least");
  require(config.zones != 0, "hdd.zones", "a disk has one at least");
  require(sectors_ != 0, "hdd.capacity", "holds no physical sector");
  require(config.capacity % config.physical_sector == 0, "hdd.capacity", "is no multiple of physical_sector");
  require(config.inner_rate <= config.outer_rate, "hdd.inner_rate", "is above outer_rate");
  const double cylinder_time =
      static_cast<double>(heads_ * revolution_ + cylinder_skew_) * 1e-12;  // to read all its tracks sequentially
  std::uint64_t sectors_per_cylinder = 0;                                  // of all zones together
  for (std::uint32_t zone = 0; zone < config.zones; ++zone) {
    const double inwards = config.zones == 1 ? 0 : static_cast<double>(zone) / (config.zones - 1);
    const double rate =
        static_cast<double>(config.outer_rate) - inwards * static_cast<double>(config.outer_rate - config.inner_rate);
    const auto sectors = static_cast<std::uint32_t>(rate * cylinder_time / (heads_ * config.physical_sector) + 0.5);
    require(sectors != 0, "hdd.inner_rate", "makes less than one sector a track");
    zones_.push_back({0, sectors});
    sectors_per_cylinder += std::uint64_t{sectors} * heads_;
  }
  const std::uint64_t needed = (sectors_ + sectors_per_cylinder - 1) / sectors_per_cylinder;
  constexpr std::uint64_t kMostCylinders = 1 << 22;  // keeps angles within 64 bits
  require(needed * config.zones <= kMostCylinders, "hdd.capacity", "needs ", needed * config.zones,
          " cylinders; valid: at most ", kMostCylinders);
  cylinders_per_zone_ = static_cast<std::uint32_t>(needed);
  require(cylinders() >= 2, "hdd.capacity", "fills one cylinder only");
  DiskSector first = 0;
  for (Zone& zone : zones_) {
    zone.first = first;
    first += std::uint64_t{cylinders_per_zone_} * heads_ * zone.sectors_per_track;
  }
}

DiskPlace DiskGeometry::place(DiskSector sector) const {
  const auto above = std::upper_bound(zones_.begin(), zones_.end(), sector,
                                      [](DiskSector wanted, const Zone& zone) { return wanted < zone.first; });
  const Zone& zone = *(above - 1);
  const std::uint64_t within = sector - zone.first;
  const std::uint64_t track = within / zone.sectors_per_track;
  const auto zone_number = static_cast<std::uint32_t>(above - 1 - zones_.begin());
  return {.track = {.cylinder = zone_number * cylinders_per_zone_ + static_cast<std::uint32_t>(track / heads_),
                    .head = static_cast<std::uint32_t>(track % heads_)},
          .sector = static_cast<std::uint32_t>(within % zone.sectors_per_track),
          .sectors = zone.sectors_per_track};
}

}  // namespace flashloom
