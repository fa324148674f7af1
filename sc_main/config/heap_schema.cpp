// The table [heap] of a device file; [heap.nvram] is with the other memories (memory_schema.cpp).
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_heap(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "heap")
      .key("page", FLASHLOOM_MEMBER(heap.page), Quantity::Bytes, {512, 1 << 20}, "page: what is swapped")
      .key("swap", FLASHLOOM_MEMBER(heap.swap), Quantity::Bytes, {0, kMaxBytes},
           "swap area, at the begin of the device; 0 B: all of it")
      .count("objects", FLASHLOOM_MEMBER(heap.objects), 1, 1 << 24, "objects that can exist at once")
      .part("replacement", FLASHLOOM_MEMBER(heap.replacement), "replacement", "which page leaves the NVM")
      .choice("atomic", FLASHLOOM_MEMBER(heap.atomic), {"page", "object"},
              "what of an update a power cut never tears: each page, or all of it")
      .count("cluster", FLASHLOOM_MEMBER(heap.cluster), 1, 4096, "pages that leave together")
      .count("read_ahead", FLASHLOOM_MEMBER(heap.read_ahead), 1, 4096,
             "pages that one swap-in reads at most; 1: the one that is needed")
      .count("in_flight", FLASHLOOM_MEMBER(heap.in_flight), 4, 1 << 20,
             "frames kept for pages on their way out, and for new contents of pages")
      .key("fetch_overwritten", FLASHLOOM_MEMBER(heap.fetch_overwritten),
           "an update of a whole page reads it first, as a page fault must, which knows no better")
      .time("fault_latency", FLASHLOOM_MEMBER(heap.fault_latency), 0, "kernel's work in a page fault")
      .time("call_latency", FLASHLOOM_MEMBER(heap.call_latency), 0, "of a create, map, unmap and delete")
      .choice(
          "mapping", FLASHLOOM_MEMBER(heap.mapping), {"accesses", "hot", "lru", "never", "process"},
          "when a process unmaps an object: after heap.mapped accesses; the same, but never those that the workload "
          "calls hot; when it has mapped heap.mapped others since; never; when it ends")
      .count("mapped", FLASHLOOM_MEMBER(heap.mapped), 1, 1 << 24,
             "accesses until an object is unmapped, or objects that a process has mapped at once")
      .key("object", FLASHLOOM_MEMBER(heap.object), Quantity::Bytes, {512, kMaxBytes},
           "block requests (traces, fio jobs) mean objects of this size, one after the other in their address space");
}

}  // namespace flashloom
