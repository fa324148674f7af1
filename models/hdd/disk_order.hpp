// The orders in which a disk serves waiting tasks: hdd.order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/hdd/disk_arm.hpp"

namespace flashloom {

/// A candidate for the arm's next task.
struct DiskTask {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  DiskSector sector = 0;  ///< its first sector
  bool write = false;
  std::uint64_t order = 0;         ///< lower came earlier
  std::uint32_t number = kNobody;  ///< command that waits for it; a flush: the same for each of its tasks
};

/// Further input of an order.
struct DiskView {
  const DiskGeometry& geometry;
  const DiskArm& arm;
  Picoseconds now = 0;      ///< start of the task
  DiskSector position = 0;  ///< one past the last sector served
};

struct DiskOrder {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  /// Index of the next task; there is at least one.
  std::size_t (*choose)(std::span<const DiskTask> tasks, const DiskView& view);
};

std::span<const DiskOrder> disk_orders();
/// Null if there is none of that name.
const DiskOrder* find_disk_order(std::string_view name);

}  // namespace flashloom
