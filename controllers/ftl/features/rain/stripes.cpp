#include "controllers/ftl/features/rain/stripes.hpp"

#include <algorithm>

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

Stripes::Stripes(const FtlContext& context, BlockTable& blocks, const OobLayout& layout)
    : blocks_(blocks),
      media_(context.media),
      layout_(layout),
      parities_(context.config.rain),
      planes_(context.geometry.planes_apart()),
      dies_(blocks.dies_of_group()),
      program_pages_(context.geometry.program_pages) {}

std::uint8_t Stripes::choose(BlockNumber block) const {
  const std::uint32_t mine = number(block);
  std::uint32_t at = blocks_.gc_unit_of(block) % dies_;
  std::uint32_t before = 0;  // good members that precede it
  for (; at != mine; at = at + 1 == dies_ ? 0 : at + 1)
    if (blocks_[member(block, at)].state != BlockState::Bad) ++before;
  return static_cast<std::uint8_t>(before < parities_ ? before + 1 : 0);
}

void Stripes::find_parity() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (blocks_[block].state == BlockState::Closed) blocks_[block].parity = static_cast<std::uint8_t>(found_in(block));
}

bool Stripes::in_turn(BlockNumber block) const {
  return std::ranges::none_of(blocks_.members_of(blocks_.gc_unit_of(block)), [&](BlockNumber other) {
    const BlockInfo& info = blocks_[other];
    return info.state == BlockState::Open && info.parity == 0 && !info.failed &&
           info.allocated < blocks_[block].allocated;
  });
}

bool Stripes::complete(BlockNumber parity) const {
  const std::uint32_t page = blocks_[parity].allocated;
  for (std::uint32_t n = 0; n < dies_; ++n) {
    const BlockInfo& info = blocks_[member(parity, n)];
    if (info.state == BlockState::Bad || info.parity != 0 || info.decided > page) continue;
    if (!info.failed || page + program_pages_ < info.allocated) return false;
  }
  return true;
}

// Also waits for a parity program that fails, so that a mount sees that it was tried.
std::uint32_t Stripes::covered(BlockNumber block, std::uint32_t BlockInfo::*pages) const {
  std::uint32_t least = ~std::uint32_t{0};
  for (std::uint32_t n = 0; n < dies_; ++n) {
    const BlockInfo& info = blocks_[member(block, n)];
    const bool in_use = info.state != BlockState::Bad || info.pending != nullptr;
    const bool has_failed = info.failed && info.*pages == info.allocated;
    if (info.parity != 0 && in_use && !has_failed) least = std::min(least, info.*pages);
  }
  return least;
}

std::uint32_t Stripes::wanted(BlockNumber block) const {
  std::uint32_t most = 0;
  const std::uint32_t covered = decided(block);
  for (std::uint32_t n = 0; n < dies_; ++n) {
    const BlockInfo& info = blocks_[member(block, n)];
    if (info.parity == 0 && info.pending != nullptr && info.pending->data_end > covered)
      most = std::max(most, info.pending->data_end);
  }
  return most;
}

// The parity role that the block's first program unit records, from a page that is not torn; 0: data, or unknown.
std::uint32_t Stripes::found_in(BlockNumber block) const {
  for (std::uint32_t page = 0; page < program_pages_; ++page)
    if (on_flash(block, page)) return found(block, page);
  return 0;
}

// If the block's first program failed, its own spare area cannot tell. It holds parity if too few other members do and
// all of them have been programmed, as they are before parity is. A superblock being erased tells nothing.
bool Stripes::holds_parity(BlockNumber block) const {
  if (found_in(block) != 0) return true;
  const bool torn = media_.torn(Die{blocks_.die_of(block)}, Block{blocks_.block_of_die(block)});  // torn by its erase
  if (!blocks_[block].failed || torn || on_flash(block, 0)) return false;
  std::uint32_t others = 0;
  for (std::uint32_t n = 0; n < dies_; ++n) {
    const BlockNumber other = member(block, n);
    if (missing(other, 0) && found_in(other) == 0) return false;
    if (found_in(other) != 0) ++others;
  }
  return others < parities_;
}

// If the first programs of several members failed, it is unknown which of them held parity; one may hold data.
bool Stripes::ended(BlockNumber block, std::uint32_t page) const {
  std::uint32_t parities = 0;
  for (std::uint32_t n = 0; n < dies_; ++n) {
    const BlockNumber other = member(block, n);
    const bool has_failed = blocks_[other].failed;
    if (found_in(other) != 0 && found(other, page) == 0 && !has_failed) return false;
    if (found(other, page) != 0 || (has_failed && holds_parity(other))) ++parities;
  }
  return parities >= parities_;
}

bool Stripes::whole(BlockNumber block, std::uint32_t page) const {
  for (std::uint32_t n = 0; n < dies_; ++n)
    if (missing(member(block, n), page)) return false;
  return true;
}

}  // namespace flashloom
