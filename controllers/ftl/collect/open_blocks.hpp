// Who has which block open, which program unit is being filled there, and what of it waits for more data: open blocks
// of host data and of copies together. Data that wait may be newer versions or copies of units of a free block, which
// must not be erased before they are on flash. An erase that only more data could make safe waits here; the others wait
// in the Eraser, for what is in flight.
#pragma once

#include <vector>

#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/collect/copy_blocks.hpp"
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
  bool member_must_wait(SuperblockNumber superblock) const;

  bool exposes_;  // ExposedData::possible(): pages of a word line disturb each other, or stripes have parity
  Eraser eraser_;
  std::vector<Waiting> waiting_;
  ClosedBlocks closed_;
  HostBlocks host_;
  CopyBlocks copies_;
};

}  // namespace flashloom
