// Erases blocks that an FTL has released, each once nothing needs it. Shared by all FTLs.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"

namespace flashloom {

/// Hears of erased blocks, before anything is programmed there.
class EraseObserver {
 public:
  virtual void erased(BlockNumber block) = 0;

 protected:
  ~EraseObserver() = default;
};

class Eraser {
 public:
  Eraser(const FtlContext& context, BlockTable& blocks);
  void attach(EraseObserver& observer) { observer_ = &observer; }

  /// Begins to erase a released block. The erase waits until nothing programs, reads or copies out of the block or any
  /// member of its GC unit; else a power cut could leave part of the old data and part of their copies. Pages that must
  /// be programmed first (nand.partial_erase_limit) get padding. Erases of one block follow each other in order.
  /// `collection`: number of the collection, or 0.
  void start(BlockNumber block, Origin origin, std::uint64_t collection = 0);

 private:
  /// `fails`: the block does not survive the erase.
  Task<void> erase(PendingErase decided, bool fails, Origin origin, std::uint64_t collection);
  Task<void> fill(BlockNumber block, std::uint64_t collection);
  bool comes_first(const PendingErase& erase) const;
  /// A command for a block; a program has no data. `collection` must outlive it.
  OnfiCommand command(FlashOperation operation, const FlashAddress& address, bool slc, Origin origin,
                      const std::uint64_t& collection);

  const FtlContext& context_;
  BlockTable& blocks_;
  EraseObserver* observer_ = nullptr;
  std::vector<OobWord> nothing_;  // words of a program unit without data
  std::vector<PendingErase> under_way_;
};

}  // namespace flashloom
