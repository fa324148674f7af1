// One program unit on its way from its filling to flash: what Programmer works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/copy_debt.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

/// Bounds the copy jobs of a die between gathering and durable.
struct CopyWindow {
  std::uint32_t in_flight = 0;
  WaitList room;
  CopyDebt* debt = nullptr;  ///< that they are part of; null: none
};

/// A program unit that was given out, and fails: what it is to carry goes elsewhere as soon as its status is known.
struct FailedProgram {
  BlockNumber block = kNoBlockNumber;
  std::uint32_t page = 0;  ///< its first
  std::uint64_t sequence = 0;
  void state(StateArchive& archive) { archive(block, page, sequence); }
};

class Programmer;

/// One program unit being filled or carried out. Pooled; its tables lie in one piece of memory, since a job in GC is
/// touched long after it was filled. Carried out, it needs no coroutine but to wait for other jobs: it waits for
/// memories, a core and flash by itself.
struct ProgramJob final : FlashCompletion, Hardware::CoreWork<ProgramJob>, Hardware::MoveWork<ProgramJob> {
  /// What comes next (Programmer::advance): all data are to be there; map entries are written; the data are fetched; a
  /// core has updated the map; it takes its turn in a block where it fails; it has a place in the queue there; it takes
  /// its turn in its own block; it has a place in the queue of the die.
  enum class Stage : std::uint8_t { Data, Entries, Fetch, Updated, TryTurn, Try, Turn, Submit };

  /// `units` of a program unit; `sectors` for which tokens are kept (0: none).
  ProgramJob(std::uint32_t units, std::size_t sectors);

  // Called by the hardware that it waits for.
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
  void programmed();  ///< it is on flash

  Programmer* programmer = nullptr;
  Runtime* runtime = nullptr;  ///< that it is carried out in
  OnfiCommand command;
  Stage stage = Stage::Data;
  bool inside = false;          ///< the die copies it by itself (copyback)
  std::uint32_t commands = 0;   ///< handed over to the die and not complete
  std::uint32_t piece = 0;      ///< unit whose map entry, or data, are moved next
  std::uint32_t unfetched = 0;  ///< bytes
  BlockNumber block = 0;
  std::uint32_t first_page = 0;
  std::uint32_t turn = 0;        ///< pages of the block that are programmed before it
  std::uint32_t filled = 0;      ///< units that have their place in it, in order; the rest is padding
  std::uint32_t gaps = 0;        ///< of them, padding between data
  std::uint32_t granules = 0;    ///< of compressed data: those taken of the page that is being filled
  std::uint32_t uncompressed = 0;  ///< units of host data that are still to be compressed
  std::uint32_t copied = 0;      ///< of them, copies
  std::uint32_t completing = 0;  ///< partly written units whose old data are being read
  WaitList completed;            ///< for `completing` to become 0
  WaitList its_turn;             ///< in its block
  CopyWindow* window = nullptr;  ///< of the die's GC, if it is a copy job under way
  bool moving = false;           ///< told to the debt: commands of it are under way
  std::uint64_t behind = 0;      ///< of host data: CopyDebt::owed() when it was handed over
  /// Where it is tried first, and fails, one after the other.
  std::vector<FailedProgram> failures;
  std::unique_ptr<OnfiCommand> attempt;  ///< the command of the first of them
  bool fails = false;                    ///< it is padding or parity, and fails itself
  bool parity = false;                   ///< it is parity over its stripe
  std::uint32_t accumulations = 0;       ///< of its stripe's parity in memory: reads and writes that are left
  ProgramInstants at;
  Picoseconds gathered = 0;  ///< when what had to be read first is in DRAM
  std::uint64_t staged = 0;  ///< where in DRAM (Hardware::staging_address)
  // By unit of the program unit; tokens by sector, null without verify.
  OobWord* oob;
  OobWord* read_oob;      ///< room for gathering
  std::uint64_t* owners;  ///< of host data: numbers of the requests; of GC copies: the collection, first only
  WriteUnit** writes;     ///< host data; null for a copy
  OnfiCommand* reads;     ///< room for gathering
  SectorToken* tokens = nullptr;
  SectorToken* read_tokens = nullptr;
  PhysicalUnit* source;   ///< to be read first (GC copy, or old data of a partly written unit); else kNoPhysicalUnit
  BlockNumber* replaced;  ///< of host data: block of the version before, which a power cut may need; or kNoBlockNumber

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// A filled job of copies alone that waits for its turn: its units stand in the PendingPages of its block anyway.
/// Decisions run far ahead of deeds in GC, and jobs are large: kept whole, they would push all else out of the caches
/// of the computer that runs the model.
struct ParkedJob {
  BlockNumber block = 0;
  std::uint32_t first_page = 0;
  std::uint32_t turn = 0;
  std::uint32_t filled = 0;
  std::uint32_t gaps = 0;
  std::uint32_t granules = 0;
  std::uint32_t copied = 0;
  Origin origin = Origin::Gc;
  std::uint64_t sequence = 0;
  std::uint64_t owner = 0;  ///< the collection
};

}  // namespace flashloom
