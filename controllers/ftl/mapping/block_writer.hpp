// Fills and programs the program units of a block-mapped FTL. Program units of a block are written at a given position
// or at the next one; positions without data become gaps. At most `open_programs` program units are partly filled; one
// more evicts the least recently used one, padded.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "controllers/ftl/collect/copier.hpp"
#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/mapping/logical_blocks.hpp"

namespace flashloom {

class BlockWriter : private MappedPart {
 public:
  /// Called before a partly filled program unit is programmed early: may fill it; the rest is padded.
  using Complete = std::function<void(ProgramJob&)>;
  /// `newest_version`: of data placed.
  BlockWriter(const MappedPart& ftl, LogicalBlocks& logical, std::uint32_t open_programs, Complete complete,
              std::uint64_t& newest_version);

  bool any_order() const { return !context_.geometry.in_order_program; }
  /// Most units that can wait for their program units to fill, or for data after them to make them safe.
  std::uint32_t most_waiting() const;
  /// The next position of a block filled in order; LogicalBlocks::units() if it is full.
  std::uint32_t next_position(BlockNumber block) const;
  /// Whether the next position can be written. False for a full block, and for a block filled in order in which
  /// recovery found gaps (a former data block, or a power cut that broke off a program before a later one).
  bool takes_next(BlockNumber block) const {
    const std::uint32_t next = next_position(block);
    return next < logical_.units() && can_place(block, next);
  }
  /// Whether a unit can still be placed at that position: the next one or, on dies that program in any order, any
  /// position that no program has covered.
  bool can_place(BlockNumber block, std::uint32_t position) const;
  /// can_place() for `count` positions from `position` on.
  bool can_place(BlockNumber block, std::uint32_t position, std::uint32_t count) const;
  bool being_filled(BlockNumber block) const { return open_job(block) != nullptr; }

  void place_host(BlockNumber block, std::uint32_t position, WriteUnit& unit);
  /// Copies the valid units of a logical block at offsets [from, to) to the same offsets of `block`, except those
  /// already in `block`.
  void copy_range(LogicalBlock logical, BlockNumber block, std::uint32_t from, std::uint32_t to);
  /// What copies are made for: merges or wear levelling.
  Origin copies_for() const { return copies_for_; }
  void set_copies_for(Origin origin) { copies_for_ = origin; }

  /// Pads and programs all partly filled program units, and closes all word lines.
  void seal_all();
  /// Pads the block until no word line that holds data is partly programmed.
  void close_word_lines(BlockNumber block);
  /// The same for the block that has waited longest for data; false if there is none.
  bool close_longest_exposed();
  /// Programs what must be on flash, and safe there without further data, before the block can be erased: program units
  /// that copy out of it, or hold newer versions of its units.
  void program_before_erase(BlockNumber block);

  /// Takes over a block that a scan has found.
  void restore(const BlockScan& scan, BlockNumber block, std::uint32_t valid);

  /// Saved states: in two parts, since those of the Programmer precede those of the jobs.
  void state(StateArchive& archive) { archive(touches_, exposed_); }
  void job_states(StateArchive& archive, FrontBuffer& front);

 private:
  struct OpenJob {
    ProgramJob* job = nullptr;
    std::uint64_t touched = 0;
  };
  OpenJob* open_job(BlockNumber block);
  const OpenJob* open_job(BlockNumber block) const { return const_cast<BlockWriter*>(this)->open_job(block); }
  ProgramJob& job_at(BlockNumber block, std::uint32_t position, Origin origin);
  void gap(ProgramJob& job);
  void placed(ProgramJob& job);
  void place_copy(BlockNumber block, std::uint32_t position, std::uint32_t unit);
  void seal(BlockNumber block);
  void launch(ProgramJob& job);
  void note_exposed(BlockNumber block);

  LogicalBlocks& logical_;
  Complete complete_;
  std::uint64_t& newest_version_;
  Copier copier_;
  std::uint32_t open_programs_;
  std::vector<OpenJob> jobs_;  // being filled
  std::uint64_t touches_ = 0;
  Origin copies_for_ = Origin::Merge;
  std::vector<BlockNumber> exposed_;  // with data that later programs may corrupt (WordLines); least recent first
};

}  // namespace flashloom
