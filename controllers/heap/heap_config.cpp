#include "controllers/heap/heap_config.hpp"

#include "controllers/heap/heap_layout.hpp"
#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const HeapConfig& heap, std::uint32_t sector, std::uint64_t device_bytes) {
  constexpr std::uint64_t kMostPages = std::uint64_t{1} << 30;
  require(heap.page % sector == 0, "heap.page", MessageBytes{heap.page},
          " is no multiple of host_interface.sector_size, ", MessageBytes{sector});
  require(heap.object % heap.page == 0, "heap.object", MessageBytes{heap.object}, " is no multiple of heap.page, ",
          MessageBytes{heap.page});
  require(heap.swap <= device_bytes, "heap.swap", MessageBytes{heap.swap}, " is more than the device has, ",
          MessageBytes{device_bytes});
  const std::uint64_t swap = heap.swap == 0 ? device_bytes : heap.swap;
  require(swap / heap.page < kMostPages, "heap.swap", MessageBytes{swap}, " are more than ", kMostPages,
          " pages; valid: larger pages, or less");
  const HeapLayout layout(heap, swap, sector, false);
  require(layout.pages != 0, "heap.swap", MessageBytes{swap}, " holds no more than heap.in_flight, ", heap.in_flight,
          " pages of ", MessageBytes{heap.page});
  require(layout.frames > heap.in_flight, "heap.nvram.size", MessageBytes{heap.nvram.size},
          " does not hold the tables, ", MessageBytes{layout.metadata_bytes()}, " for a swap area of ",
          MessageBytes{swap}, ", and a page beside heap.in_flight, ", heap.in_flight, " of ", MessageBytes{heap.page},
          "; valid: at least ", MessageBytes{layout.metadata_bytes() + (heap.in_flight + 1ULL) * heap.page},
          ", or less of heap.swap, heap.objects or heap.in_flight");
}

}  // namespace flashloom
