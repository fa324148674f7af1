// For a tier that fills its slots from reads: which sectors of the slots are valid, which slots are being read or
// written, and which fills are under way. A write cancels overlapping fills both when it begins and when it ends, so
// that no fill makes older data valid.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/block/block_protocol.hpp"
#include "policies/tiering/tier_map.hpp"

namespace flashloom {

/// The data of a read on their way to the SSD. Known from before the read is sent.
struct ReadFill {
  std::uint64_t offset = 0;  ///< of the home device
  std::uint64_t length = 0;  ///< 0: it is free for another
  bool cancelled = false;
  std::vector<SectorToken> tokens;

  bool overlaps(std::uint64_t first, std::uint64_t bytes) const {
    return offset < first + bytes && first < offset + length;
  }
};

class SectorCache {
 public:
  SectorCache(std::uint32_t slots, std::uint32_t sectors_per_slot);

  /// Sectors [first, first + count) of a slot: are all valid, is any one of the slot, make them (in)valid.
  bool all(Slot slot, std::uint32_t first, std::uint32_t count) const;
  bool any(Slot slot) const;
  void set(Slot slot, std::uint32_t first, std::uint32_t count, bool valid);
  bool whole(Slot slot) const { return all(slot, 0, sectors_); }
  void set_whole(Slot slot, bool valid) { set(slot, 0, sectors_, valid); }

  /// Another segment gets the slot; nothing of it is valid. Reads of the one before may be under way.
  void assign(Slot slot);
  void begin_read(Slot slot) { ++reads_[slot]; }
  void end_read(Slot slot) { --reads_[slot]; }
  /// Nobody writes the slot, and nobody still reads the segment that it held before.
  bool writable(Slot slot) const { return !writing_[slot] && !(reassigned_[slot] && reads_[slot] != 0); }
  void begin_write(Slot slot) {
    writing_[slot] = true;
    reassigned_[slot] = false;
  }
  void end_write(Slot slot) { writing_[slot] = false; }

  ReadFill& open(std::uint64_t offset, std::uint64_t length);
  void close(ReadFill& fill);
  /// Cancels the fills that overlap the range: their data will not become valid.
  void cancel(std::uint64_t offset, std::uint64_t length);
  /// A fill that may still become valid is under way.
  bool filling(std::uint64_t offset, std::uint64_t length) const;

 private:
  template <class F>
  bool each_word(Slot slot, std::uint32_t first, std::uint32_t count, F&& f) const;

  std::uint32_t sectors_;
  std::vector<std::uint64_t> valid_;  // a bit a sector
  std::vector<std::uint32_t> reads_;  // by slot
  std::vector<bool> writing_;         // by slot
  std::vector<bool> reassigned_;      // by slot: while it was read
  std::deque<ReadFill> fills_;
  std::vector<ReadFill*> open_;
  std::vector<ReadFill*> free_;
};

}  // namespace flashloom
