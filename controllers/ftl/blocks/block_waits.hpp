// When an erase unit may be opened, erased and programmed, and what to wait for until then. A block may be opened
// again, and released again, before an erase that was decided upon earlier is carried out. Members of a GC unit wait
// for each other.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/records/block_records.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom {

class BlockWaits {
 public:
  explicit BlockWaits(BlockRecords& blocks) : blocks_(blocks), events_(blocks.dies()) {}

  /// Where coroutines wait for a change of a block of the die. One list per reason avoids needless wakeups.
  struct Events {
    WaitList durable;  ///< a program is done, or a unit on its way to one is complete
    WaitList unused;   ///< nothing reads or copies out of a free block any more: it may be erased
    WaitList erased;   ///< a block was erased
  };
  Events& events(std::uint32_t die) { return events_[die]; }

  /// Nothing programs the block, reads it or copies out of it any more: it may be erased.
  bool unused(BlockNumber block) const {
    const BlockInfo& info = blocks_[block];
    return info.pending == nullptr && info.copies_pending == 0 && info.reads_in_flight == 0;
  }
  void wake_if_unused(BlockNumber block) {
    if (blocks_[block].given_up() && unused(block)) events(blocks_.die_of(block)).unused.wake_all();
  }
  /// A read of the block has ended.
  void read_done(BlockNumber block) {
    --blocks_[block].reads_in_flight;
    wake_if_unused(block);
  }
  /// A copy out of the block, or a newer version of one of its units, is on flash: after a power cut the old data would
  /// no longer be needed.
  void copy_done(BlockNumber block) {
    --blocks_[block].copies_pending;
    wake_if_unused(block);
  }
  /// The erase of a block has ended; its old content is gone, even if the block has become bad.
  void erase_done(const PendingErase& erase);

  // --- Wait conditions; null means nothing to wait for.
  /// Before a free block is opened: nothing may use its old data any more. Its erase may still be pending.
  WaitList* before_opening(BlockNumber block);
  /// Before an erase: as before_opening(), unless the block has been opened since.
  WaitList* before_erase(PendingErase erase);
  /// Before the first program of an open block: its erase must be done, and PendingPages::spare must be erasable.
  WaitList* before_first_program(BlockNumber block);

 private:
  /// The first member of its GC unit for which `is(member)`; kNoBlockNumber: none.
  template <class Is>
  BlockNumber find_member(BlockNumber block, Is is) const;

  BlockRecords& blocks_;
  std::vector<Events> events_;
};

}  // namespace flashloom
