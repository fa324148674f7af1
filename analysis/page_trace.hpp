// A trace as references to pages, held in memory: four bytes a reference, and twelve a distinct page if any is written.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis/growing_table.hpp"
#include "policies/replacement/cache_model.hpp"
#include "workloads/request.hpp"

namespace flashloom {

struct PageTrace {
  std::uint64_t requests = 0;  ///< flushes and all
  std::uint64_t reads = 0;     ///< page references, as the next
  std::uint64_t writes = 0;
  std::uint32_t page_bytes = 0;
  GrowingTable<PageReference> references;
  GrowingTable<std::uint32_t> bytes;  ///< of each reference; empty if all are whole pages
  std::uint32_t footprint = 0;        ///< distinct pages: their numbers are below
  // Where a page lies matters when it is written; of a trace without writes these are empty.
  GrowingTable<std::uint64_t> addresses;  ///< by page number: where it lies on the device, in pages
  GrowingTable<std::uint32_t> blocks;     ///< by page number: its erase block, numbered densely
  std::uint32_t block_count = 0;

  PageDirectory directory() const { return {footprint, addresses, blocks, block_count}; }
};

struct PageTraceOptions {
  std::uint32_t page_bytes = 4096;
  std::uint32_t pages_per_block = 64;
  std::uint64_t max_requests = 0;  ///< 0: all
  /// Called now and then with the requests so far.
  std::function<void(std::uint64_t)> progress = {};
};

/// Reads a source to its end; a page is referenced once by each request that touches it. Throws what the source throws,
/// and std::length_error for more than 2^30 distinct pages.
PageTrace read_page_trace(RequestSource& source, const PageTraceOptions& options);

}  // namespace flashloom
