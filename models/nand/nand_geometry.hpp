// The shape of the flash back end after conversion from NandConfig: counts, and what firmware must know of a die.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/common/types.hpp"
#include "models/nand/page_order.hpp"

namespace flashloom {

struct NandConfig;

/// Firmware manages *erase units*: the blocks of a die that are erased together (one block, or one a plane when the
/// planes are programmed together), and *program units*: consecutive pages of an erase unit that one program
/// command fills. Page numbers in an erase unit run in programming order, so the pages of a program unit are
/// consecutive. Within it nand.unit_layout says: with p planes and n pages of each a program, page q is
///   plane_first: page n*(q/(n*p)) + q%(n*p)/p of plane q%p, so that neighbours are a row, which can be read together;
///   page_first:  page n*(q/(n*p)) + q%n of plane (q/n)%p.
/// Mapping units fill pages in this order; with p = 1 or n = 1 the two are the same.
/// With partial-page programs (NOP above 1) what firmware calls a page is the part of a physical page that one program
/// fills: page q is part q%NOP of page q/NOP. Parts of one physical page can be read together.
/// The first `slc_blocks` erase units of a die work in pseudo-SLC mode: one bit a cell, so they have only the first
/// `slc_pages` page numbers. With `slc_dynamic` firmware may put up to that many of a die's other erase units into that
/// mode at a time; NandMedia knows which (BlockModes).
/// Where mapping units differ in size, a page has more places for them than it has bytes for whole ones; how many it
/// takes depends on their sizes. Units are numbered by place; capacity is counted in whole units.
class NandGeometry {
 public:
  /// `density`: maximum number of mapping units in a page, as a multiple of the whole ones; 1: all are whole.
  NandGeometry(const NandConfig& config, std::uint32_t mapping_unit_bytes, std::uint32_t density = 1);

  std::uint32_t channels;
  std::uint32_t ways;
  std::uint32_t dies_per_way;
  std::uint32_t dies;              ///< of the whole device
  std::uint32_t planes;            ///< planes a die
  std::uint32_t planes_together;   ///< planes that one program or erase covers
  std::uint32_t blocks;            ///< erase units a die
  std::uint32_t pages;             ///< pages an erase unit
  std::uint32_t program_pages;     ///< pages a program unit
  bool multi_plane_read;           ///< pages of several planes may be read together (OnfiCommand::together)
  std::uint32_t plane_groups;      ///< groups of neighbouring planes a die that read independently; 1: none do
  std::uint32_t partial_programs;  ///< parts of a physical page, each a page here
  bool copyback;                   ///< program units may be copied inside a die (OnfiCommand::then)
  bool in_order_program;           ///< pages of a block are programmed in order; else each at any time
  std::uint32_t page_bytes;
  std::uint32_t whole_units_per_page;  ///< mapping units that fill a page if they are whole
  std::uint32_t units_per_page;        ///< places for mapping units a page
  std::uint32_t unit_bytes;            ///< bytes a mapping unit
  std::uint32_t slc_blocks;            ///< erase units a die in pseudo-SLC mode: the first ones, of all planes alike
  std::uint32_t slc_dynamic;           ///< other erase units a die that firmware may use in that mode at a time
  std::uint32_t slc_pages;             ///< pages that an erase unit in that mode has
  std::uint32_t read_frame;  ///< bytes of a mapping unit that are read and decoded together; at most all of them
  /// A program unit takes two passes: its command performs its first pass and the second pass of the unit before it;
  /// the command of the block's last unit also performs its own second pass. Not in pseudo-SLC mode.
  bool two_passes;
  /// Page order of a physical block, if a power cut in a program may destroy older pages of its word line; else null.
  std::shared_ptr<const PageOrder> pairs{};

  /// Planes of a die that are opened and programmed independently: 1 when all are programmed together.
  std::uint32_t planes_apart() const { return planes / planes_together; }
  /// Mapping units differ in size: a page has more places than room for whole ones.
  bool sizes_vary() const { return units_per_page != whole_units_per_page; }
  /// Places of a program unit and of an erase unit, and the whole units that fill them.
  std::uint32_t units_per_program() const { return program_pages * units_per_page; }
  std::uint32_t units_per_block() const { return pages * units_per_page; }
  std::uint32_t whole_units_per_program() const { return program_pages * whole_units_per_page; }
  std::uint32_t whole_units_per_block() const { return pages * whole_units_per_page; }
  /// There is a write cache in pseudo-SLC mode.
  bool any_slc() const { return slc_blocks != 0 || slc_dynamic != 0; }
  /// Blocks that are always in that mode; NandMedia::in_slc_mode() also covers blocks that are in it at present.
  bool in_slc_mode(Block block) const { return block.value() < slc_blocks; }
  /// Counts the blocks that are not always in pseudo-SLC mode: capacity and over-provisioning are based on them.
  std::uint64_t total_units() const { return std::uint64_t{dies} * (blocks - slc_blocks) * whole_units_per_block(); }
  std::uint64_t raw_bytes() const { return total_units() * unit_bytes; }

  /// Dies are numbered channel first, so that consecutive dies sit on different channels.
  Channel channel_of(Die die) const { return Channel{die.value() % channels}; }
  /// Position of a die on its channel: way + ways * (die of the way).
  std::uint32_t position_on_channel(Die die) const { return die.value() / channels; }
  std::uint32_t dies_per_channel() const { return ways * dies_per_way; }
  Die die_at(Channel channel, std::uint32_t position) const { return Die{position * channels + channel.value()}; }

  /// Page number inside its physical block: decides the page type (and so tR and tPROG).
  std::uint32_t page_in_block(Page page) const {
    const std::uint32_t q = page.value() / partial_programs;
    const std::uint32_t in_program = q % program_pages;
    return pages_per_program_ * (q / program_pages) +
           (plane_first_ ? in_program / planes_together : in_program % pages_per_program_);
  }
  /// Plane of a page of an erase unit.
  Plane plane_of(Block block, Page page) const {
    if (planes_together > 1) {
      const std::uint32_t q = plane_first_ ? page.value() : page.value() / pages_per_program_;
      return Plane{q % planes_together};
    }
    return Plane{block.value() % planes};
  }

  /// Number of the plane group that reads a page.
  std::uint32_t plane_group_of(Block block, Page page) const {
    return plane_groups == 1 ? 0 : plane_of(block, page).value() / (planes / plane_groups);
  }

  /// A die can read pages together: several planes', of one row, or parts of one physical page.
  bool reads_together() const { return multi_plane_read || partial_programs > 1; }
  /// Whether these two pages of one die can be read together.
  bool together(Block block, Page page, Block other_block, Page other) const {
    if (page_in_block(page) != page_in_block(other) || in_slc_mode(block) != in_slc_mode(other_block)) return false;
    if (partial_programs > 1) return block == other_block && page != other;
    return plane_of(block, page) != plane_of(other_block, other);
  }

  /// Bytes that one read burst of `units` neighbouring mapping units of a page moves: whole frames, from the frame with
  /// byte `from` of the first unit to the frame with byte `end` - 1 of the last.
  struct ReadSpan {
    std::uint32_t skipped;  ///< bytes of the first unit that are not moved
    std::uint32_t bytes;
  };
  ReadSpan read_span(std::uint32_t units, std::uint32_t from, std::uint32_t end) const {
    const std::uint32_t skipped = from / read_frame * read_frame;
    const std::uint32_t of_last = std::min((end + read_frame - 1) / read_frame * read_frame, unit_bytes);
    return {skipped, (units - 1) * unit_bytes + of_last - skipped};
  }

  /// Bytes that the program command of the unit starting at page `first` moves; `slc`: its block is in pseudo-SLC mode.
  std::uint32_t program_bytes(Page first, bool slc) const {
    const std::uint32_t once = program_pages * page_bytes;
    if (!two_passes || slc) return once;
    std::uint32_t bytes = first_pass_bytes_;
    if (first.value() != 0) bytes += second_pass_bytes_;
    if (first.value() + program_pages == pages) bytes += second_pass_bytes_;
    return bytes;
  }

  /// An erase needs a minimum of programmed pages (pages_before_erase).
  bool limits_erases() const { return erase_limit_ != 0; }
  /// Pages of a partly programmed erase unit that must be programmed before its erase, rounded up to whole program
  /// units; `slc`: it is in pseudo-SLC mode.
  std::uint32_t pages_before_erase(bool slc) const {
    const double units = erase_limit_ * (slc ? slc_pages : pages) / program_pages;
    return static_cast<std::uint32_t>(std::ceil(units)) * program_pages;
  }

  /// Two pages of an erase unit lie in the same cells.
  bool share_cells(Block block, Page a, Page b) const {
    return plane_of(block, a) == plane_of(block, b) &&
           pairs->of(page_in_block(a)).word_line == pairs->of(page_in_block(b)).word_line;
  }

 private:
  double erase_limit_;
  std::uint32_t pages_per_program_;
  std::uint32_t first_pass_bytes_;
  std::uint32_t second_pass_bytes_;
  bool plane_first_;
};

}  // namespace flashloom
