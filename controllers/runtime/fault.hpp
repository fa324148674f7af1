// Seeded faults: wrong behaviour that a test build can switch on, to show that `verify` and the audits catch it. In
// every other build fault() is a constant, and the hooks vanish.
#pragma once

#include <cstdint>

namespace flashloom {

enum class Fault : std::uint8_t {
  None,
  StaleCopy,           ///< GC programs the previous contents of its memory instead of the data it read
  LostUnit,            ///< a written unit gets its place on flash, but the map keeps the old one
  EarlyAcknowledge,    ///< flush and FUA are acknowledged before the data are on flash
  SwappedUnits,        ///< two units of a program change their data
  FillDropped,         ///< the rest of a partly written unit is not read from flash
  TrimIgnored,         ///< a trim leaves the map as it is
  TrimUncovers,        ///< while a trim is under way, reads return the old data on flash
  OlderVersion,        ///< recovery takes the older one of two versions
  EarlyErase,          ///< a victim is erased while its units are still being copied
  StaleEntry,          ///< the buffer goes on serving the version that is being destaged
  TornHeader,          ///< after a power cut, headers in NVRAM count though their check is wrong
  WrongSector,         ///< a read delivers the neighbour of the sector asked for
  LogEntrySkipped,     ///< a mount skips an entry of the metadata log, but believes that it covers its pages
  TombstoneIgnored,    ///< a mount ignores tombstones
  StaleCheckpoint,     ///< a mount believes that a checkpoint covers blocks that were opened since
  EntryForgotten,      ///< a mount drops a block's entry of a checkpoint, or an entry newer than its translation page
  GarbageTaken,        ///< a mount takes pages whose checksum does not fit
  EraseBeforeTrim,     ///< a block is erased while trims are not persistent
  LogBlockForgotten,   ///< a mount of an FTL that maps blocks forgets a block that it found beside the data blocks
  OpenNotRecorded,     ///< a block is written, but the map in NVRAM goes on saying that it is erased
  RecordedTooEarly,    ///< the map in NVRAM says that a block is whole before its programs are done
  TrimNotRecorded,     ///< a trim leaves the map in NVRAM as it is
  DataNotRecorded,     ///< a block is whole, and what it replaces is erased, but the map in NVRAM has not heard of it
  WordLineForgotten,   ///< data count as durable while an upper page may still destroy them
  ParityForgotten,     ///< data count as durable before the parity of their stripe is on flash
  StripeMixedUp,       ///< an unreadable page is rebuilt from its stripe without one of the other pages
  SingleWriteInPass,   ///< in a pass of a tier a write goes to the SSD alone
  UpdateNotSaid,       ///< the metadata do not say that a pass is under way
  CleanNotTaken,       ///< a tier that has started leaves the clean bit on the media
  StartCopiesNothing,  ///< after a power cut a tier takes all segments for clean
  TierNotFlushed,      ///< the devices below a tier are not flushed before its metadata say what they hold
  DirtyDropped,        ///< a dirty segment is evicted without being copied to the HDD
  DirtyNotSaid,        ///< the journal of a tier does not say that a segment is dirty
  FillUnlocked,        ///< a segment comes in while it is being written
  SlotNamedEarly,      ///< the heap's page table names a slot of the swap area before the page is there
  CommitForgotten,     ///< a recovery of the heap takes no notice of updates that were committed
  LostAsZeroes,        ///< a page of the heap that cannot be read counts as one that was never written
  LostMadeGood,        ///< an update of a part of a lost page of the heap makes the whole page valid
  ShadowsLeft,         ///< an update of the heap that fails leaves the shadows of its pages
  HoleIsTheEnd,        ///< a start of a tier takes a journal block that it cannot read for the end of the journal
  LossNotWritten,      ///< a tier whose SSD has failed does not write down what was lost with it
  EraseUnpadded,       ///< a block is erased before it is filled as far as an erase requires
  Count
};

#ifdef FLASHLOOM_FAULTS
inline Fault selected_fault = Fault::None;
inline bool fault(Fault which) { return selected_fault == which; }
#else
constexpr bool fault(Fault) { return false; }
#endif

}  // namespace flashloom
