// RAIN (ftl.rain): parity over the dies of a superblock, as "redundant array of independent NAND" of vendors. A *stripe*
// is the program units of one number on the members of a superblock, one a die (of one plane, where planes are
// programmed apart). One or two members hold parity and nothing else. Which ones turns from superblock to superblock,
// not from stripe to stripe: parity is programmed when the rest of its stripe is, so that it never says more than the
// flash holds, and members whose turn came would hold up each other.
//
// Members are filled stripe by stripe. Data are durable when the parity of their stripe is (Programmer). A member that
// is bad, or in which a program has failed, has no part in the stripes from then on.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/oob.hpp"

namespace flashloom {

class Stripes {
 public:
  Stripes(const FtlContext& context, BlockTable& blocks, const OobLayout& layout);

  /// Program units of parity in a stripe: 1, P, or 2, P and Q.
  std::uint32_t parities() const { return parities_; }
  /// Dies of a superblock.
  std::uint32_t dies() const { return dies_; }
  /// The n-th member of the stripes of a block: of its superblock and plane, on the n-th die of the group.
  BlockNumber member(BlockNumber block, std::uint32_t n) const {
    const Superblocks& all = blocks_.superblocks();
    return all.member(all.of(block), n * planes_ + blocks_.bank_of(block) % planes_);
  }
  /// Which one a block is.
  std::uint32_t number(BlockNumber block) const { return blocks_.die_of(block) % dies_; }
  /// What a member of a superblock that is being opened will hold (BlockInfo::parity): of those that are not bad, going
  /// round from one that the superblock's number gives, the first hold parity.
  std::uint8_t choose(BlockNumber block) const;
  /// After a recovery: the same of all blocks in use, which their spare areas tell.
  void find_parity();
  /// In a stripe members come first, by die, and then P and Q.
  std::uint32_t column(BlockNumber block) const {
    const std::uint8_t parity = blocks_[block].parity;
    return parity == 0 ? number(block) : dies_ + parity - 1;
  }

  /// No member with data that is open has fewer pages given out: its program unit may be next.
  bool in_turn(BlockNumber block) const;
  /// All of the stripe that the next program unit of a parity block belongs to is decided upon.
  bool complete(BlockNumber parity) const;
  /// Of a block that is being written: the program at that page, which was given out, fails.
  bool fails(BlockNumber member, std::uint32_t page) const {
    const BlockInfo& info = blocks_[member];
    return info.failed && page + program_pages_ >= info.allocated;
  }
  /// The same: it is part of its stripe.
  bool takes_part(BlockNumber member, std::uint32_t page) const {
    return page < blocks_[member].allocated && !fails(member, page);
  }
  /// Pages of a block whose stripes have parity that is decided upon, or on flash. All, where no parity can be had: a
  /// program of it has failed, or its die.
  std::uint32_t decided(BlockNumber block) const { return covered(block, &BlockInfo::allocated); }
  std::uint32_t protected_pages(BlockNumber block) const { return covered(block, &BlockInfo::durable); }
  /// Pages that a block must have given out, so that all data that its stripes have got can have parity.
  std::uint32_t wanted(BlockNumber block) const;
  /// In a mount: the stripe of that page has all its parity, which is programmed last; or was not to have what it lacks,
  /// since a program of parity had failed.
  bool ended(BlockNumber block, std::uint32_t page) const;
  /// In a mount: a stripe that has parity has lost no data since; firmware was not about to erase it.
  bool whole(BlockNumber block, std::uint32_t page) const;
  /// A stripe with parity has a part on that member, which is not there.
  bool missing(BlockNumber member, std::uint32_t page) const {
    const BlockInfo& info = blocks_[member];
    return info.state != BlockState::Bad && !info.failed && !on_flash(member, page);
  }
  /// Spare areas and the table of open blocks tell firmware which program units there are. What was bad before the
  /// stripe began has none.
  bool on_flash(BlockNumber member, std::uint32_t page) const {
    return media_.page(blocks_.address(member, page)).status == FlashStatus::Good;
  }

 private:
  std::uint32_t found(BlockNumber block, std::uint32_t page) const {
    return layout_.parity_of(media_.oob(blocks_.address(block, page), 0));
  }
  std::uint32_t found_in(BlockNumber block) const;
  bool holds_parity(BlockNumber block) const;
  std::uint32_t covered(BlockNumber block, std::uint32_t BlockInfo::* pages) const;

  BlockTable& blocks_;
  const NandMedia& media_;
  const OobLayout& layout_;
  std::uint32_t parities_;
  std::uint32_t planes_;
  std::uint32_t dies_;
  std::uint32_t program_pages_;
};

}  // namespace flashloom
