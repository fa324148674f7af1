// Translation pages of FTLs with a demand-paged map: their layout, and reads of them from flash.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/mapping/host_level.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

/// Layout of a demand-paged map in translation pages, one mapping unit each: the entries of consecutive logical units.
class TranslationPages {
 public:
  /// Layout of the map of `host_units`. The geometry must outlive it.
  TranslationPages(const NandGeometry& geometry, std::uint64_t host_units)
      : geometry_(geometry), entry_(map_entry_bytes(geometry)), host_units_(host_units) {}

  std::uint32_t entries() const { return geometry_.unit_bytes / entry_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>((host_units_ + entries() - 1) / entries()); }
  /// Range of units whose entries the page holds: first() to end() - 1.
  std::uint32_t first(TranslationPage page) const { return page * entries(); }
  std::uint32_t end(TranslationPage page) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(first(page) + std::uint64_t{entries()}, host_units_));
  }
  /// The frames of a page that hold the entries of units `first` to `last`, or to the end of the page.
  NandGeometry::ReadSpan span(std::uint32_t first, std::uint32_t last) const {
    const std::uint32_t begin = first % entries();
    const std::uint32_t end = std::min(begin + (last - first), entries() - 1) + 1;
    return geometry_.read_span(1, begin * entry_, end * entry_);
  }
  NandGeometry::ReadSpan whole() const { return {0, geometry_.unit_bytes}; }

 private:
  const NandGeometry& geometry_;
  std::uint32_t entry_;  // bytes
  std::uint64_t host_units_;
};

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
