#include "models/hdd/disk_order.hpp"

#include <algorithm>
#include <array>

namespace flashloom {
namespace {

/// The task with the least cost, ties to the earliest.
template <class Cost>
std::size_t cheapest(std::span<const DiskTask> tasks, Cost cost) {
  std::size_t best = 0;
  auto least = cost(tasks[0]);
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    const auto other = cost(tasks[i]);
    if (other > least || (other == least && tasks[i].order > tasks[best].order)) continue;
    best = i;
    least = other;
  }
  return best;
}

std::size_t fifo(std::span<const DiskTask> tasks, const DiskView&) {
  return cheapest(tasks, [](const DiskTask& task) { return task.order; });
}

std::size_t sstf(std::span<const DiskTask> tasks, const DiskView& view) {
  const std::uint32_t here = view.arm.track().cylinder;
  return cheapest(tasks, [&](const DiskTask& task) {
    const std::uint32_t there = view.geometry.place(task.sector).track.cylinder;
    return std::max(here, there) - std::min(here, there);
  });
}

std::size_t c_look(std::span<const DiskTask> tasks, const DiskView& view) {
  // Sectors behind the head wrap around to after all sectors ahead.
  return cheapest(tasks, [&](const DiskTask& task) { return task.sector - view.position; });
}

std::size_t satf(std::span<const DiskTask> tasks, const DiskView& view) {
  // A sequential continuation comes first; otherwise the head would leave a stream at each end of a track.
  return cheapest(tasks, [&](const DiskTask& task) {
    return task.sector == view.position ? 0 : view.arm.reach(task.sector, task.write, view.now);
  });
}

constexpr std::array kOrders = {
    DiskOrder{"fifo", "in order of arrival", "no command queueing", &fifo},
    DiskOrder{"sstf", "the nearest cylinder first", "Denning, Effects of scheduling on file memory operations, 1967",
              &sstf},
    DiskOrder{"c_look", "by address, upwards, then from the lowest again",
              "Merten, Some quantitative techniques for file organization, 1970; Linux's deadline scheduler", &c_look},
    DiskOrder{"satf", "the shortest access time first: seek, settling and rotation",
              "Seltzer, Chen, Ousterhout, Disk Scheduling Revisited, USENIX 1990; Jacobson, Wilkes, HPL-CSP-91-7, 1991",
              &satf},
};

}  // namespace

std::span<const DiskOrder> disk_orders() { return kOrders; }

std::vector<std::string> disk_order_names() {
  std::vector<std::string> names;
  for (const auto& each : disk_orders()) names.emplace_back(each.name);
  return names;
}

const DiskOrder* find_disk_order(std::string_view name) {
  const auto found =
      std::find_if(kOrders.begin(), kOrders.end(), [name](const DiskOrder& order) { return order.name == name; });
  return found == kOrders.end() ? nullptr : &*found;
}

}  // namespace flashloom
