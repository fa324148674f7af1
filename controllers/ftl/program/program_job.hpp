// One program unit, from its filling until it is on flash; Programmer and its parts work on these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/copy_debt.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

/// Bounds the copy jobs of a die between gathering and durable.
struct CopyWindow {
  std::uint32_t in_flight = 0;
  WaitList room;
  CopyDebt* debt = nullptr;  ///< copy debt that these jobs are part of; null: none
};

/// A program unit that was given out and fails: its content is programmed elsewhere once the failed status is known.
struct FailedProgram {
  BlockNumber block = kNoBlockNumber;
  std::uint32_t page = 0;  ///< its first page
  std::uint64_t sequence = 0;
  void state(StateArchive& archive) { archive(block, page, sequence); }
};

/// What is decided on a program unit while it is filled, as far as the PendingPages of its block do not hold it.
struct ProgramFill {
  BlockNumber block = 0;
  std::uint32_t first_page = 0;
  std::uint32_t turn = 0;           ///< pages of the block to be programmed before it
  std::uint32_t filled = 0;         ///< units placed in it, in order; the rest is padding
  std::uint32_t gaps = 0;           ///< units among `filled` that are padding between data
  std::uint32_t steps_of_page = 0;  ///< with units of different sizes: what those on the page being filled take
  std::uint32_t copied = 0;         ///< units among `filled` that are copies
};

/// A filled copy-only job that waits for its turn. GC decides far ahead of its flash commands, and jobs are large:
/// unparked jobs would evict all else from the CPU caches of the simulating computer.
struct ParkedJob : ProgramFill {
  Origin origin = Origin::Gc;
  std::uint64_t sequence = 0;
  std::uint64_t owner = 0;  ///< number of the collection
};

class Programmer;

/// One program unit being filled or carried out. Jobs are pooled, and the tables of a job lie in one piece of memory,
/// because GC touches a job long after it was filled. A running job waits for memories, a core and flash without a
/// coroutine; it needs one only to wait for other jobs.
struct ProgramJob final : FlashCompletion, Hardware::CoreWork<ProgramJob>, Hardware::MoveWork<ProgramJob>, ProgramFill {
  /// The next step (Programmer::advance). Data: all data must have arrived. Entries: write the map entries. Fetch:
  /// fetch the data. Updated: a core has updated the map. FailTurn, Fail: wait for a turn in the block where the program
  /// fails, and for a place in that die's queue. Turn, Submit: the same in the job's own block and die.
  enum class Stage : std::uint8_t { Data, Entries, Fetch, Updated, FailTurn, Fail, Turn, Submit };

  /// `units`: of a program unit; `sectors`: for which tokens are kept (0: none).
  ProgramJob(std::uint32_t units, std::size_t sectors);

  // Called by the hardware that the job waits for.
  void moved() {
    runtime->run([this] {
      note_moved();
      advance();
    });
  }
  void over() {
    runtime->run([this] { advance(); });
  }
  void on_flash_complete(OnfiCommand&) override {
    if (--commands == 0) runtime->run([this] { programmed(); });
  }
  void advance();
  void programmed();  ///< the program unit is on flash
  std::uint32_t die() const { return command.address.die.value(); }
  /// For a copy job in a debt (CopyDebt): its commands are in flight, or it waits for something.
  void note_in_flight() {
    if (window == nullptr || window->debt == nullptr || moving) return;
    moving = true;
    window->debt->moves(die());
  }
  void note_waiting() {
    if (std::exchange(moving, false)) window->debt->stands(die());
  }

  Programmer* programmer = nullptr;
  Runtime* runtime = nullptr;  ///< runtime that carries it out
  OnfiCommand command;
  Stage stage = Stage::Data;
  bool inside = false;           ///< the die copies the data internally (copyback)
  std::uint32_t commands = 0;    ///< handed over to the die and not yet complete
  std::uint32_t piece = 0;       ///< unit whose map entry or data are moved next
  std::uint32_t unfetched = 0;   ///< bytes still to be fetched
  std::uint32_t resized = 0;     ///< units of host data whose size changes between memory and flash
  std::uint32_t completing = 0;  ///< partly written units whose old data are being read
  WaitList completed;            ///< until `completing` is 0
  WaitList its_turn;             ///< until it is its turn in its block
  CopyWindow* window = nullptr;  ///< of the die's GC, for a copy job in flight; else null
  bool moving = false;           ///< counted in the debt: commands of it are in flight
  std::uint64_t behind = 0;      ///< for host data: CopyDebt::owed() when it was handed over
  /// Places where it is tried first, one after the other; each fails.
  std::vector<FailedProgram> failures;
  std::unique_ptr<OnfiCommand> attempt;  ///< command of the first entry of `failures`
  bool fails = false;                    ///< it is padding or parity whose own program fails
  bool parity = false;                   ///< it holds parity of its stripe
  std::uint32_t accumulations = 0;       ///< memory accesses left to accumulate its stripe's parity
  ProgramInstants at;
  Picoseconds gathered = 0;  ///< when the data to be read first are in DRAM
  std::uint64_t staged = 0;  ///< address in DRAM (Hardware::staging_address)
  // By unit of the program unit; tokens by sector, null without verify.
  OobWord* oob;
  OobWord* read_oob;      ///< buffer for gathering
  std::uint64_t* owners;  ///< for host data: request numbers; for GC copies: the collection, first entry only
  WriteUnit** writes;     ///< host data; null for a copy
  OnfiCommand* reads;     ///< commands for gathering
  SectorToken* tokens = nullptr;
  SectorToken* read_tokens = nullptr;
  PhysicalUnit* source;   ///< where to read from first (GC copy, old data of a partly written unit); or kNoPhysicalUnit
  BlockNumber* replaced;  ///< for host data: block of the replaced version, needed after a power cut; or kNoBlockNumber

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// What the parts of a Programmer share.
class ProgramPart {
 public:
  ProgramPart(const FtlContext& context, BlockTable& blocks, const OobLayout& layout)
      : context_(context),
        blocks_(blocks),
        layout_(layout),
        sizes_(context.sizes),
        units_per_page_(context.geometry.units_per_page),
        units_per_program_(context.geometry.units_per_program()),
        all_sectors_(~std::uint64_t{0} >> (64 - context.sectors_per_unit)) {}

 protected:
  const FtlContext& context_;
  BlockTable& blocks_;
  const OobLayout& layout_;
  UnitSizes* sizes_;  // null: all units are whole
  std::uint32_t units_per_page_;
  std::uint32_t units_per_program_;
  std::uint64_t all_sectors_;
};

}  // namespace flashloom
