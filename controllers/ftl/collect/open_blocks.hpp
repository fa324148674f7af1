// Who has which block open, which program unit is being filled there, and what of it waits for more data: open blocks
// of host data and of copies together. Data that wait may be newer versions or copies of units of a free block, which
// must not be erased before they are on flash.
#pragma once

#include "controllers/ftl/collect/closed_blocks.hpp"
#include "controllers/ftl/collect/copy_blocks.hpp"
#include "controllers/ftl/collect/host_blocks.hpp"
#include "controllers/ftl/collect/victim_erases.hpp"

namespace flashloom {

class OpenBlocks {
 public:
  /// `map_stream`: translation pages are written, too.
  OpenBlocks(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const Victims& victims,
             FtlStatistics& statistics, bool map_stream);

  HostBlocks& host() { return host_; }
  CopyBlocks& copies() { return copies_; }
  ClosedBlocks& closed() { return closed_; }
  VictimErases& erases() { return erases_; }

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

  /// Saved states: open blocks of copies, and erases that wait. Collector and HostBlocks have the rest.
  void state(StateArchive& archive) {
    copies_.open_state(archive);
    archive(erases_);
  }

 private:
  BlockTable& blocks_;
  bool exposes_;  // ExposedData::possible(): pages of a word line disturb each other, or stripes have parity
  ClosedBlocks closed_;
  VictimErases erases_;
  HostBlocks host_;
  CopyBlocks copies_;
};

}  // namespace flashloom
