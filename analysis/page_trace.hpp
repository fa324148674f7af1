// A trace as references to pages, held in memory: four bytes a reference, and some ten a distinct page.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <vector>

#include "analysis/huge_pages.hpp"
#include "policies/replacement/cache_model.hpp"
#include "workloads/request.hpp"

namespace flashloom {

struct PageTrace {
  std::uint64_t requests = 0;  ///< flushes and all
  std::uint64_t reads = 0;     ///< page references, as the next
  std::uint64_t writes = 0;
  std::uint32_t page_bytes = 0;
  std::pmr::vector<PageReference> references{&huge_pages()};
  std::pmr::vector<std::uint32_t> bytes{&huge_pages()};      ///< of each reference; empty if all are whole pages
  std::pmr::vector<std::uint64_t> addresses{&huge_pages()};  ///< by page number: where it lies on the device, in pages
  std::pmr::vector<std::uint32_t> blocks{&huge_pages()};     ///< by page number: its erase block, numbered densely
  std::uint32_t block_count = 0;

  std::uint32_t footprint() const { return static_cast<std::uint32_t>(addresses.size()); }
  PageDirectory directory() const { return {footprint(), addresses, blocks, block_count}; }
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
