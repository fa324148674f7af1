// What an FTL knows of one erase unit, and the numbers of erase units and of the mapping units on them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/runtime/wait_list.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Erase unit of the whole device: die * blocks a die + block.
using BlockNumber = std::uint32_t;
inline constexpr BlockNumber kNoBlockNumber = ~BlockNumber{0};
/// Mapping unit of the whole flash: BlockNumber * units a block + unit of the block.
using PhysicalUnit = std::uint32_t;
inline constexpr PhysicalUnit kNoPhysicalUnit = ~PhysicalUnit{0};

/// Of FTLs that map blocks: as many mapping units as an erase unit holds; the last one may be shorter.
using LogicalBlock = std::uint32_t;
inline constexpr LogicalBlock kNoLogicalBlock = ~LogicalBlock{0};

/// Bad: worn out, never used again. Dedicated: of the metadata log.
enum class BlockState : std::uint8_t { Free, Open, Closed, Collecting, Bad, Dedicated };

struct ProgramJob;

/// An erase that has been decided upon: the n-th of a block. kNoBlockNumber: none.
struct PendingErase {
  BlockNumber block = kNoBlockNumber;
  std::uint32_t number = 0;
  bool operator==(const PendingErase&) const = default;
};

/// Table of a block that is being written or whose last programs are on their way: what firmware keeps in DRAM until
/// the flash itself can tell.
struct PendingPages {
  std::vector<OobWord> oob;  ///< by unit of the block
  std::vector<PhysicalUnit>
      source;  ///< GC copies: where the data still are until the program is done; else kNoPhysicalUnit
  std::vector<std::uint8_t> done;  ///< by page, of blocks that are written in any order: its program is done
  std::uint64_t sequence = 0;      ///< of its first program since it was erased
  std::uint32_t data_end = 0;      ///< one past the last page given out that has data, and not only padding
  std::uint32_t erase = 0;         ///< number of the erase that is before its first program
  bool erased = true;              ///< else the first program waits for that
  PendingErase spare;              ///< and until this may begin
  /// A program unit that waits for those before it to be submitted: its first page, and what wakes it.
  struct Turn {
    std::uint32_t page;
    WaitList* list;
  };
  std::vector<Turn> turns;
  /// Programmed, but later programs may still hurt them (WordLines), or their stripe lacks parity (Stripes); in order.
  std::vector<ProgramJob*> exposed;
};

struct BlockInfo {
  std::uint32_t valid = 0;            ///< units that the map points to
  std::uint32_t allocated = 0;        ///< pages given out
  std::uint32_t submitted = 0;        ///< pages whose program command has been issued
  std::uint32_t durable = 0;          ///< pages whose program is done
  std::uint32_t decided = 0;          ///< with parity over dies: pages given out whose content is decided upon
  std::uint32_t reads_in_flight = 0;  ///< commands that still read it: it must not be erased
  std::uint32_t copies_pending = 0;   ///< GC copies and newer versions of its units that are not yet on flash
  BlockState state = BlockState::Free;
  std::uint8_t stream = 0;            ///< of the host data in it, as far as is known: a recovery does not find out
  Origin last_origin = Origin::Host;  ///< of the last program submitted
  bool any_order = false;             ///< its program units are written in any order; `submitted` and `durable` count
  bool slc = false;                   ///< in pseudo-SLC mode; of a free one: when it was used last
  bool erased = true;                 ///< since it was given up last (a free block may still await its erase)
  bool failed = false;                ///< a program failed in it: no more are begun, and its next erase is its last
  bool bad_when_opened = false;       ///< with parity over dies: bad already when its superblock was opened last
  std::uint8_t parity = 0;            ///< what it holds instead of data: P over its stripes, 1, or Q, 2
  std::unique_ptr<PendingPages> pending;

  /// Given up by its owner: erased or to be erased, even if the block does not survive that erase.
  bool given_up() const { return state == BlockState::Free || state == BlockState::Bad; }
  /// Given up or closed before it was full, or a program has failed, and all that was given out is done.
  bool done_with() const {
    return (given_up() || failed || state == BlockState::Closed || state == BlockState::Collecting) &&
           durable == allocated;
  }
};

}  // namespace flashloom
