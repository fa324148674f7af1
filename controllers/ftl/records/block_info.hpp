// What an FTL knows of one erase unit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/records/block_numbers.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// For block-mapped FTLs: as many mapping units as an erase unit holds; the last logical block may be shorter.
using LogicalBlock = std::uint32_t;
inline constexpr LogicalBlock kNoLogicalBlock = ~LogicalBlock{0};

/// Bad: worn out, never used again. Dedicated: belongs to the metadata log.
enum class BlockState : std::uint8_t { Free, Open, Closed, Collecting, Bad, Dedicated };

struct ProgramJob;

/// An erase that has been decided upon: the block's erase of this number. kNoBlockNumber: none.
struct PendingErase {
  BlockNumber block = kNoBlockNumber;
  std::uint32_t number = 0;
  bool operator==(const PendingErase&) const = default;
};

/// Page table of a block that is being written or whose last programs are in flight: what firmware keeps in DRAM until
/// it can be read from flash.
struct PendingPages {
  std::vector<OobWord> oob;  ///< by unit of the block
  /// By unit of the block; GC copies: where the data still are until the program is done. kNoPhysicalUnit before a unit
  /// is given out, and for all others.
  std::vector<PhysicalUnit> source;
  std::vector<std::uint8_t> done;  ///< by page, for blocks written in any order: its program is done
  std::uint64_t sequence = 0;      ///< of the first program since the last erase
  std::uint32_t data_end = 0;      ///< one past the last page given out that holds data, not only padding
  std::uint32_t erase = 0;         ///< number of the erase that precedes its first program
  bool erased = true;              ///< that erase is done; else the first program waits for it
  PendingErase spare;              ///< the first program also waits until this erase may begin
  /// A program unit that waits until its predecessors are submitted: its first page, and the list that wakes it.
  struct Turn {
    std::uint32_t page;
    WaitList* list;
  };
  std::vector<Turn> turns;
  /// Programmed units that later programs may still corrupt (WordLines), or whose stripe lacks parity (Stripes); in
  /// order.
  std::vector<ProgramJob*> exposed;
};

struct BlockInfo {
  std::uint32_t valid = 0;            ///< units that the map points to
  std::uint32_t allocated = 0;        ///< pages given out
  std::uint32_t submitted = 0;        ///< pages whose program command has been issued
  std::uint32_t durable = 0;          ///< pages whose program is done
  std::uint32_t decided = 0;          ///< with parity over dies: pages given out whose content is decided
  std::uint32_t reads_in_flight = 0;  ///< read commands in flight on it: it must not be erased
  std::uint32_t copies_pending = 0;   ///< GC copies and newer versions of its units that are not yet on flash
  BlockState state = BlockState::Free;
  std::uint8_t stream = 0;            ///< of its host data; lost in a recovery, unless the media keep marks
  Origin last_origin = Origin::Host;  ///< of the last program submitted
  bool any_order = false;             ///< written in any order; `submitted` and `durable` are only counts
  bool slc = false;                   ///< in pseudo-SLC mode; for a free block: when it was last used
  bool apart = false;                 ///< always: it is not of the capacity, and the policies do not know it
  bool erased = true;                 ///< since it was last released (a free block may still await its erase)
  bool failed = false;                ///< a program failed in it: no more are begun, and its next erase is its last
  bool bad_when_opened = false;       ///< with parity over dies: it was bad when its GC unit was last opened
  std::uint8_t parity = 0;            ///< kind of parity it holds instead of data: 0 none, 1 P, 2 Q
  std::unique_ptr<PendingPages> pending;

  /// Released by its owner: erased or to be erased, even if the block does not survive that erase.
  bool given_up() const { return state == BlockState::Free || state == BlockState::Bad; }
  /// Released or closed before it was full, or hit by a program failure, and all its submitted programs are done.
  bool done_with() const {
    return (given_up() || failed || state == BlockState::Closed || state == BlockState::Collecting) &&
           durable == allocated;
  }
};

}  // namespace flashloom
