// Device file table [heap]: persistent objects in NVM, swapped to the device (docs/heap.md).
#pragma once

#include <cstdint>
#include <string>

#include "models/memory/memory_config.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

struct HeapConfig {
  NvramConfig nvram;              ///< [heap.nvram]: the memory of the heap; size 0: there is no heap
  std::uint32_t page = 4096;      ///< bytes; a multiple of the sector
  std::uint64_t swap = 0;         ///< bytes of the device, from its begin; 0: all of it
  std::uint32_t objects = 65536;  ///< that can exist at once
  PolicyChoice replacement{"uflru", {}};
  std::string atomic = "page";            ///< atomicity of an update across power cuts: "page" or "object"
  std::uint32_t cluster = 32;             ///< pages evicted together
  std::uint32_t read_ahead = 8;           ///< pages that one swap-in reads at most
  std::uint32_t in_flight = 256;          ///< frames for pages on their way out, and for new contents of pages
  bool fetch_overwritten = true;          ///< an update of a whole page reads it first, as a page fault must
  Picoseconds fault_latency = 1'000'000;  ///< kernel's work in a page fault
  Picoseconds call_latency = 1'000'000;   ///< of a create, map, unmap and delete
  std::string mapping = "accesses";  ///< when processes unmap objects: "accesses", "hot", "lru", "never", "process"
  std::uint32_t mapped = 1;          ///< after so many accesses; or so many are mapped at once, by LRU
  std::uint64_t object = 2 << 20;    ///< bytes: block requests mean objects of this size

  bool present() const { return nvram.size != 0; }
};

/// Throws ConfigProblem for what no heap can be on a device of `device_bytes`, in logical blocks of `sector` bytes.
void check_config(const HeapConfig& heap, std::uint32_t sector, std::uint64_t device_bytes);

}  // namespace flashloom
