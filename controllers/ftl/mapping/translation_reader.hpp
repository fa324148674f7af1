// Reads translation pages from flash, for an FTL that pages its map in.
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
  NandGeometry::ReadSpan span;  ///< of it, in frames
  std::uint64_t kept = 0;       ///< sent to the host in this tenure of the HostLevel; 0: it is not
  Origin origin = Origin::Map;
};

class TranslationReader {
 public:
  /// `first_unit`: logical unit of the first translation page. All of it outlives the reader.
  TranslationReader(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, HostLevel& host,
                    std::uint32_t first_unit)
      : context_(context), blocks_(blocks), layout_(layout), host_(host), first_unit_(first_unit) {}

  /// From here on the block is not erased until read() is over.
  void begin(const TranslationFetch& fetch) { ++blocks_[blocks_.block_of(fetch.place)].reads_in_flight; }
  Task<void> read(TranslationFetch fetch);

  /// A read under way that others may wait for.
  struct Shared {
    TranslationFetch fetch;
    WaitList over{};
  };
  /// read(), which others may wait for; then `pending` is one less, and `all` is woken at 0.
  Task<void> read_shared(TranslationFetch fetch, std::uint32_t& pending, WaitList& all);
  /// The same behind a read under way.
  static Task<void> share(WaitList& under_way, std::uint32_t& pending, WaitList& all);
  /// One that brings what this one would; null: none.
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
