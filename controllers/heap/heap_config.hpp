// Device file table [heap]: persistent objects in NVM, swapped to the device (docs/reference/heap.md).
#pragma once

#include <cstdint>
#include <string>

#include "models/common/quantity.hpp"
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

  /// The keys of [heap].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .rare()
        .key("page", &HeapConfig::page, Quantity::Bytes, {512, 1 << 20}, "page: what is swapped")
        .common()
        .key("swap", &HeapConfig::swap, Quantity::Bytes, {0, kMaxBytes},
             "swap area, at the begin of the device; 0 B: all of it")
        .count("objects", &HeapConfig::objects, 1, 1 << 24, "objects that can exist at once")
        .part("replacement", &HeapConfig::replacement, "replacement", "which page leaves the NVM")
        .choice("atomic", &HeapConfig::atomic, {"page", "object"},
                "what of an update a power cut never tears: each page, or all of it")
        .count("cluster", &HeapConfig::cluster, 1, 4096, "pages that leave together")
        .count("read_ahead", &HeapConfig::read_ahead, 1, 4096,
               "pages that one swap-in reads at most; 1: the one that is needed")
        .rare()
        .count("in_flight", &HeapConfig::in_flight, 4, 1 << 20,
               "frames kept for pages on their way out, and for new contents of pages")
        .common()
        .key("fetch_overwritten", &HeapConfig::fetch_overwritten,
             "an update of a whole page reads it first, as a page fault must, which knows no better")
        .rare()
        .time("fault_latency", &HeapConfig::fault_latency, 0, "kernel's work in a page fault")
        .time("call_latency", &HeapConfig::call_latency, 0, "of a create, map, unmap and delete")
        .common()
        .choice(
            "mapping", &HeapConfig::mapping, {"accesses", "hot", "lru", "never", "process"},
            "when a process unmaps an object: after heap.mapped accesses; the same, but never those that the workload "
            "calls hot; when it has mapped heap.mapped others since; never; when it ends")
        .count("mapped", &HeapConfig::mapped, 1, 1 << 24,
               "accesses until an object is unmapped, or objects that a process has mapped at once")
        .key("object", &HeapConfig::object, Quantity::Bytes, {512, kMaxBytes},
             "block requests (traces, fio jobs) mean objects of this size, one after the other in their address space");
  }
};

/// Throws ConfigProblem for what no heap can be on a device of `device_bytes`, in logical blocks of `sector` bytes.
void check_config(const HeapConfig& heap, std::uint32_t sector, std::uint64_t device_bytes);

}  // namespace flashloom
