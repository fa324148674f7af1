// Who has which block open, which program unit is being filled there, and what of it waits for more data: open blocks
// of host data and of copies together. Data that wait may be newer versions or copies of units of a free block, which
// must not be erased before they are on flash. An erase that only more data could make safe waits here; the others wait
// in the Eraser, for what is in flight.
//
// Free blocks are opened here, too, for host data, copies and the metadata log: each is chosen, and opened once nothing
// uses its old data. Before that, data that its erase waits for are programmed.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/collect/copy_blocks.hpp"
#include "controllers/ftl/collect/gc_unit_opener.hpp"
#include "controllers/ftl/collect/host_blocks.hpp"

namespace flashloom {

class OpenBlocks : private FtlPart {
 public:
  /// `map_stream`: translation pages are written, too.
  OpenBlocks(const FtlPart& part, const Victims& victims, bool map_stream);

  HostBlocks& host() { return host_; }
  CopyBlocks& copies() { return copies_; }
  ClosedBlocks& closed() { return closed_; }

  /// The erase of the block would have to wait for more data to arrive.
  bool must_wait(BlockNumber block) const { return host_.needs(block) || copies_.needs(block); }
  /// The erase already waits, for a word line or stripe whose last program unit is being filled.
  bool safe_once_filled(BlockNumber block) const {
    return exposes_ && (host_.safe_once_filled(block) || copies_.safe_once_filled(block));
  }
  /// Whether the block cannot be erased before more data are decided upon, whatever is in flight: both clocks say the
  /// same.
  bool waits_for_data(BlockNumber block) const { return must_wait(block) || safe_once_filled(block); }
  /// A coroutine is about to wait for this free block: programs data that would otherwise wait for more writes.
  void program_for_erase(BlockNumber block);

  // --- Opening.
  /// Opens a block of `bank` for a stream, once nothing uses its old data; if the bank has no free block, one of
  /// another bank of the die, which must have a free one. With `spare` (always, except for copies) the first program
  /// waits until another free block may be erased; otherwise a power cut could leave the die without a usable free
  /// block.
  Task<BlockNumber> open_block(std::uint32_t bank, std::uint32_t stream, FreeUse use = FreeUse::Data,
                               bool spare = true);
  /// GC units of several members; null: erase units are collected one by one.
  GcUnitOpener* gc_units() const { return gc_units_.get(); }
  void attach(std::unique_ptr<GcUnitOpener> gc_units) { gc_units_ = std::move(gc_units); }
  /// Notes whose data a newly opened block is for.
  void mark(BlockNumber block, std::uint32_t stream);

  // --- Waiting.
  /// Waits until a free GC unit may be opened: its erase is decided upon and waits for nothing but the flash.
  Task<void> until_unused(GcUnit free);
  /// Waits until a newly opened block may be programmed, for owners that do so without a Programmer.
  Task<void> until_ready(BlockNumber block);
  /// Whether some free GC unit of the group is erased or may be. Required before host data follow copies in a shared
  /// block: else a power cut could leave no free block, since neither the source of copies that are not safe yet nor the
  /// block that holds them could be freed.
  bool has_spare(std::uint32_t group) const { return unused(free_to_erase(group)); }
  /// Whether has_spare() takes padding, or more data: otherwise what is in flight brings it.
  bool lacks_spare(std::uint32_t group) const {
    const GcUnit free = free_to_erase(group);
    return free == kNoBlockNumber || member_waits_for_data(free);
  }
  /// Waits until has_spare(). The group must have a free GC unit.
  Task<void> until_spare(std::uint32_t group) { return until_unused(free_to_erase(group)); }
  /// A free GC unit of a group other than `except`: preferably one that nothing uses any more, so that its erase can
  /// begin (or has ended); else one that waits for no data; else any other; kNoBlockNumber if there is none.
  GcUnit free_to_erase(std::uint32_t group, GcUnit except = kNoBlockNumber) const;
  /// There is such a GC unit, and nothing uses its members.
  bool unused(GcUnit unit) const;

  // --- Erases.
  /// Releases a victim and erases its blocks, together, when no member is needed any more (Eraser): a power cut leaves
  /// either the whole victim or all of its copies.
  void release(const Victim& victim);
  /// Erases a free block once nothing reads it or copies out of it. `collection`: number of its collection, or 0.
  void erase_later(BlockNumber block, Origin origin = Origin::Gc, std::uint64_t collection = 0);
  /// Waiting data have been programmed: starts the erases that waited for them. Thus no erase is left that only more
  /// writes could release, and the firmware comes to rest between requests.
  void data_programmed() {
    if (!waiting_.empty()) start_waiting();
  }
  bool erase_waits_for_data(BlockNumber block) const;

  /// Saved states: open blocks of copies, and erases that wait. Collector and HostBlocks have the rest.
  void state(StateArchive& archive) {
    copies_.open_state(archive);
    archive(waiting_);
  }

 private:
  struct Waiting {
    BlockNumber block;
    Origin origin;
    void state(StateArchive& archive) { archive(block, origin); }
  };
  void start_waiting();
  bool member_waits_for_data(GcUnit unit) const;
  bool member_must_wait(GcUnit unit) const;

  bool keeps_streams_;  // with flexible data placement
  bool exposes_;        // ExposedData::possible(): pages of a word line disturb each other, or stripes have parity
  Eraser eraser_;
  std::vector<Waiting> waiting_;
  ClosedBlocks closed_;
  HostBlocks host_;
  CopyBlocks copies_;
  std::unique_ptr<GcUnitOpener> gc_units_;
};

}  // namespace flashloom
