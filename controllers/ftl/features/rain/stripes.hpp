// RAIN (ftl.rain): parity over the dies of a superblock; vendors call it "redundant array of independent NAND". A
// *stripe* consists of the program units of one number on the members of a superblock, one per die (of one plane, if
// planes are programmed apart). One or two members hold only parity. They rotate from superblock to superblock, not
// from stripe to stripe: parity is programmed after the rest of its stripe, so that it never covers data that are not
// on flash, and members that hold both data and parity would hold each other up.
//
// Members are filled stripe by stripe. Data are durable once the parity of their stripe is (Programmer). A member that
// is bad, or in which a program has failed, takes no part in later stripes.
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/oob.hpp"

namespace flashloom {

class Stripes {
 public:
  Stripes(const FtlContext& context, BlockTable& blocks, const OobLayout& layout);

  /// Program units of parity in a stripe: 1 (P) or 2 (P and Q).
  std::uint32_t parities() const { return parities_; }
  /// Dies of a superblock.
  std::uint32_t dies() const { return dies_; }
  /// The n-th member of a block's stripes: in its superblock and plane, on the n-th die of the group.
  BlockNumber member(BlockNumber block, std::uint32_t n) const {
    return blocks_.member(blocks_.gc_unit_of(block), n * planes_ + blocks_.bank_of(block) % planes_);
  }
  /// Index of a block among these members.
  std::uint32_t number(BlockNumber block) const { return blocks_.die_of(block) % dies_; }
  /// Parity role of a member of a superblock being opened (BlockInfo::parity): counting from a member given by the
  /// superblock's number, the first good members hold parity.
  std::uint8_t choose(BlockNumber block) const;
  /// After a recovery: restores the parity roles of closed blocks from their spare areas.
  void find_parity();
  /// Column in a stripe: members first, by die, then P and Q.
  std::uint32_t column(BlockNumber block) const {
    const std::uint8_t parity = blocks_[block].parity;
    return parity == 0 ? number(block) : dies_ + parity - 1;
  }

  /// Whether the block's program unit may be next: no open data member has fewer pages given out.
  bool in_turn(BlockNumber block) const;
  /// Whether all data of the stripe of a parity block's next program unit are decided.
  bool complete(BlockNumber parity) const;
  /// For a block being written: whether the program at that page, which was given out, fails.
  bool fails(BlockNumber member, std::uint32_t page) const {
    const BlockInfo& info = blocks_[member];
    return info.failed && page + program_pages_ >= info.allocated;
  }
  /// For a block being written: whether that page takes part in its stripe.
  bool takes_part(BlockNumber member, std::uint32_t page) const {
    return page < blocks_[member].allocated && !fails(member, page);
  }
  /// Leading pages of a block whose stripes have their parity decided upon, or on flash. All pages if no parity is
  /// possible because a parity program or its die has failed.
  std::uint32_t decided(BlockNumber block) const { return covered(block, &BlockInfo::allocated); }
  std::uint32_t protected_pages(BlockNumber block) const { return covered(block, &BlockInfo::durable); }
  /// Pages that a block must have given out so that all data in its stripes can get parity.
  std::uint32_t wanted(BlockNumber block) const;
  /// For a mount: whether the page's stripe has all its parity, which is programmed last, or lacks only parity whose
  /// program had failed.
  bool ended(BlockNumber block, std::uint32_t page) const;
  /// For a mount: whether no part of the page's stripe is missing, so that firmware was not erasing it.
  bool whole(BlockNumber block, std::uint32_t page) const;
  /// Whether the member's part of a stripe with parity is missing.
  bool missing(BlockNumber member, std::uint32_t page) const {
    const BlockInfo& info = blocks_[member];
    return info.state != BlockState::Bad && !info.failed && !on_flash(member, page);
  }
  /// Whether that page is programmed and readable; firmware knows it from spare areas and the table of open blocks.
  /// Members that were bad before the stripe began have no pages in it.
  bool on_flash(BlockNumber member, std::uint32_t page) const {
    return media_.page(blocks_.address(member, page)).status == FlashStatus::Good;
  }

 private:
  std::uint32_t found(BlockNumber block, std::uint32_t page) const {
    return layout_.parity_of(media_.oob(blocks_.address(block, page), 0));
  }
  std::uint32_t found_in(BlockNumber block) const;
  bool holds_parity(BlockNumber block) const;
  std::uint32_t covered(BlockNumber block, std::uint32_t BlockInfo::*pages) const;

  BlockTable& blocks_;
  const NandMedia& media_;
  const OobLayout& layout_;
  std::uint32_t parities_;
  std::uint32_t planes_;
  std::uint32_t dies_;
  std::uint32_t program_pages_;
};

}  // namespace flashloom
