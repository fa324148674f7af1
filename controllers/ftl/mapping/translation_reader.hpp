// Reads translation pages from flash, for FTLs with a demand-paged map.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/mapping/host_level.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// A read of a translation page.
struct TranslationFetch {
  TranslationPage page;
  PhysicalUnit place;
  NandGeometry::ReadSpan span;  ///< part of the page, in whole frames
  std::uint64_t kept = 0;       ///< tenure of the HostLevel in which it is also sent to the host; 0: it is not
  Origin origin = Origin::Map;
};

class TranslationReader {
 public:
  /// `first_unit`: logical unit of the first translation page. All arguments must outlive the reader.
  TranslationReader(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, HostLevel& host,
                    std::uint32_t first_unit)
      : context_(context), blocks_(blocks), layout_(layout), host_(host), first_unit_(first_unit) {}

  /// From begin() to the end of read() the block is not erased.
  void begin(const TranslationFetch& fetch) { ++blocks_[blocks_.block_of(fetch.place)].reads_in_flight; }
  Task<void> read(TranslationFetch fetch);

  /// A read in flight that others may wait for.
  struct Shared {
    TranslationFetch fetch;
    WaitList over{};
  };
  /// read() that others may wait for; at the end it decrements `pending`, and wakes `all` at 0.
  Task<void> read_shared(TranslationFetch fetch, std::uint32_t& pending, WaitList& all);
  /// read_shared() for one that waits for a read in flight instead of reading.
  static Task<void> share(WaitList& under_way, std::uint32_t& pending, WaitList& all);
  /// A read in flight that covers `fetch`; null if there is none.
  WaitList* under_way(const TranslationFetch& fetch) const;

 private:
  const FtlContext& context_;
  BlockTable& blocks_;
  const OobLayout& layout_;
  HostLevel& host_;
  std::uint32_t first_unit_;
  std::vector<Shared*> shared_;
};

}  // namespace flashloom
