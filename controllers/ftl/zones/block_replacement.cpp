#include "controllers/ftl/zones/block_replacement.hpp"

#include <utility>

namespace flashloom {

BlockReplacement::BlockReplacement(const ZonedTables& tables, ZonePrograms& programs, ZoneBlocks& zone_blocks)
    : ZonePart(tables), programs_(programs), zone_blocks_(zone_blocks) {}

Task<bool> BlockReplacement::prepare(std::uint32_t number, std::uint32_t slot) {
  BlockNumber& block = zones_[number].blocks[slot];
  if (block == kNoBlockNumber) block = co_await zone_blocks_.open_on(shape_.bank_of(number, slot));
  while (block != kNoBlockNumber && programs_.lets_fail(block)) {
    const bool replaced = co_await replace(number, slot, Origin::Gc);
    if (!replaced) co_return false;
  }
  co_return block != kNoBlockNumber;
}

Task<bool> BlockReplacement::prepare_padding(std::uint32_t number, std::uint32_t slot) {
  BlockNumber& block = zones_[number].blocks[slot];
  if (block == kNoBlockNumber && zone_blocks_.any_free())
    block = co_await zone_blocks_.open_on(shape_.bank_of(number, slot));
  if (block == kNoBlockNumber || blocks_[block].failed) co_return false;
  if (!programs_.lets_fail(block)) co_return true;
  programs_.try_padding();
  co_return false;
}

Task<bool> BlockReplacement::replace(std::uint32_t number, std::uint32_t slot, Origin origin) {
  BlockNumber& block = zones_[number].blocks[slot];
  for (;;) {
    const BlockNumber target = co_await zone_blocks_.open_on(shape_.bank_of(number, slot));
    if (target == kNoBlockNumber) {
      programs_.try_padding();
      release_replaced();
      co_return false;
    }
    if (!copy_rows(number, slot, target, origin)) {
      replaced_.push_back({target, number, origin});
      continue;
    }
    replaced_.push_back({std::exchange(block, target), number, origin});
    ++(origin == Origin::Recovery ? costs_.rehomed_blocks : costs_.replaced_blocks);
    release_replaced();
    co_return true;
  }
}

// False if a program failed in `target`, too; the data are then mapped to the old place again.
bool BlockReplacement::copy_rows(std::uint32_t number, std::uint32_t slot, BlockNumber target, Origin origin) {
  const std::uint32_t rows = shape_.rows_of(slot, zones_[number].programmed);
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (programs_.lets_fail(target)) {
      put_back(number, slot, row);
      return false;
    }
    ProgramJob& job = programs_.begin_copies(target, origin);
    const std::uint32_t first = first_unit(number) + shape_.program_at(slot, row) * units_per_program_;
    for (std::uint32_t at = 0; at < units_per_program_; ++at) programs_.copy(job, first + at);
    if (origin == Origin::Gc) statistics_.units_moved += units_per_program_;
    programs_.launch(job);
  }
  return true;
}

// Maps the first rows of the slot's erase unit, which have copies elsewhere, to their old places again.
void BlockReplacement::put_back(std::uint32_t number, std::uint32_t slot, std::uint32_t rows) {
  PhysicalUnit place = zones_[number].blocks[slot] * blocks_.units_per_block();
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t first = first_unit(number) + shape_.program_at(slot, row) * units_per_program_;
    for (std::uint32_t unit = first; unit < first + units_per_program_; ++unit, ++place) {
      blocks_.invalidate(map_.get(unit), age());
      map_.set(unit, place);
      blocks_.validate(place);
    }
  }
}

// The zone's next reset waits for these erases, since the old data must be gone by then.
void BlockReplacement::release_replaced() {
  if (replaced_.empty() || programs_.any_to_try()) return;
  for (const Replaced& replaced : replaced_) {
    zone_blocks_.give_back(replaced.block, replaced.origin);
    zones_[replaced.zone].erasing.push_back(blocks_.pending_erase(replaced.block));
  }
  replaced_.clear();
}

}  // namespace flashloom
