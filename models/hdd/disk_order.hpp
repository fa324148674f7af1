// The orders in which a disk serves what waits: hdd.order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/hdd/disk_arm.hpp"

namespace flashloom {

/// Something that the arm could do next.
struct DiskTask {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  DiskSector sector = 0;  ///< first of it
  bool write = false;
  std::uint64_t order = 0;         ///< lower came earlier
  std::uint32_t number = kNobody;  ///< of the command that waits for it; of a flush, each of its tasks
};

/// What an order is told beside the tasks.
struct DiskView {
  const DiskGeometry& geometry;
  const DiskArm& arm;
  Picoseconds now = 0;      ///< when the task would begin
  DiskSector position = 0;  ///< behind the last sector that was served
};

struct DiskOrder {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  /// Index of the task that is next, of one at least.
  std::size_t (*choose)(std::span<const DiskTask> tasks, const DiskView& view);
};

std::span<const DiskOrder> disk_orders();
/// Null if there is none of that name.
const DiskOrder* find_disk_order(std::string_view name);

}  // namespace flashloom
