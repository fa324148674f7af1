#include "controllers/ftl/mapping/block_resolver.hpp"

#include <algorithm>

#include "controllers/runtime/fault.hpp"

namespace flashloom {

BlockResolver::BlockResolver(const MappedTables& tables, const Parts& parts, const BlockScan& scan)
    : MappedPart(tables),
      parts_(parts),
      scan_(scan),
      newest_(map_.size()),
      copies_(map_.size()),
      position_of_(blocks_.size(), kNoLogicalBlock),
      in_position_(parts.logical.count()),
      rank_(blocks_.size(), kLog),
      valid_(blocks_.size()) {}

std::vector<Leftover> BlockResolver::run() {
  find_blocks();
  for (const BlockNumber block : found_) read_words(block);
  end_what_was_trimmed();
  for (LogicalBlock logical = 0; logical < in_position_.size(); ++logical) choose_data_block(logical);
  for (const BlockNumber block : found_) map_units(block);
  find_empty();
  return take_over();
}

std::vector<PhysicalUnit> BlockResolver::doubtful(std::uint64_t newest) {
  find_blocks();
  std::vector<PhysicalUnit> originals(newest_.size(), kNoPhysicalUnit);
  for (const BlockNumber block : found_) {
    read_words(block);
    each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
      if (layout_.version(w) == 0) originals[unit] = block * parts_.logical.units() + position;
    });
  }
  end_what_was_trimmed();
  std::vector<PhysicalUnit> places;
  for (const std::vector<BlockNumber>& list : in_position_)
    for (std::size_t i = list.size(); i-- > 0 && !covers(list[i], list, i);)
      each(list[i], [&](std::uint32_t, OobWord w, std::uint32_t unit) {
        const bool may_be_copy = layout_.version(w) != 0 && layout_.version(w) <= newest && is_newest(w, unit);
        if (may_be_copy && originals[unit] != kNoPhysicalUnit) places.push_back(originals[unit]);
      });
  return places;
}

// Finds the blocks that hold data, in the order of opening.
void BlockResolver::find_blocks() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (scan_[block].used() && !scan_[block].torn_erase && !scan_[block].log) found_.push_back(block);
  std::sort(found_.begin(), found_.end(),
            [this](BlockNumber a, BlockNumber b) { return scan_[a].sequence < scan_[b].sequence; });
  if (fault(Fault::LogBlockForgotten) && !found_.empty()) found_.pop_back();
}

// Finds the logical block for which a block is in position, if any, and the versions of its units.
void BlockResolver::read_words(BlockNumber block) {
  LogicalBlock& logical = position_of_[block];
  each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
    if (logical == kNoLogicalBlock && parts_.logical.offset_of(unit) == position)
      logical = parts_.logical.block_of(unit);
    if (logical != parts_.logical.block_of(unit) || parts_.logical.offset_of(unit) != position) logical = kMixed;
    const std::uint64_t version = layout_.version(w) + 1;
    std::uint64_t& newest = newest_[unit];
    parts_.newest_version = std::max(parts_.newest_version, version - 1);
    if (version > newest) copies_[unit] = 0;
    newest = fault(Fault::OlderVersion) && newest != 0 ? std::min(newest, version) : std::max(newest, version);
    copies_[unit] += version == newest ? 1 : 0;
  });
  if (logical < in_position_.size()) in_position_[logical].push_back(block);
}

void BlockResolver::end_what_was_trimmed() {
  Tombstones& tombstones = parts_.tombstones;
  for (std::uint32_t unit = 0; unit < newest_.size() && tombstones.count() != 0; ++unit) {
    const std::uint64_t version = tombstones.version(unit);
    if (newest_[unit] == 0) tombstones.forget(unit);  // no data of the unit are left that the trim could end
    if (version == 0 || version + 1 < newest_[unit]) continue;
    newest_[unit] = version + 2;  // above the versions of all data that the trim ends
    copies_[unit] = 0;
  }
}

// Chooses among the blocks in position for the logical block, starting with the one opened last.
void BlockResolver::choose_data_block(LogicalBlock logical) {
  const std::vector<BlockNumber>& list = in_position_[logical];
  for (std::size_t i = list.size(); i-- > 0;) {
    if (covers(list[i], list, i)) {
      for (std::size_t older = 0; older < i; ++older) rank_[list[older]] = kDropped;
      rank_[list[i]] = kData;
      parts_.logical.set_data(logical, list[i]);
      return;
    }
    rank_[list[i]] = has_own(list[i]) ? kGoesOn : kDropped;
  }
}

// Whether the block has the newest version of every unit of which one of the first `older` blocks of the list has it.
bool BlockResolver::covers(BlockNumber block, const std::vector<BlockNumber>& list, std::size_t older) const {
  bool all = true;
  for (std::size_t i = 0; i < older; ++i)
    each(list[i], [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
      const OobWord mine = scan_.word(block, position);
      all = all && (!is_newest(w, unit) || (layout_.is_data(mine) && is_newest(mine, unit)));
    });
  return all;
}

// Whether the block holds data that no other block has, and so more than the copies of an unfinished merge.
bool BlockResolver::has_own(BlockNumber block) const {
  bool own = false;
  each(block,
       [&](std::uint32_t, OobWord w, std::uint32_t unit) { own = own || (is_newest(w, unit) && copies_[unit] == 1); });
  return own;
}

// Of equal versions, the one in the block of the higher rank counts; of equal ranks, the one found first.
void BlockResolver::map_units(BlockNumber block) {
  each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
    if (!is_newest(w, unit)) return;
    const PhysicalUnit other = map_.get(unit);
    if (other != kNoPhysicalUnit) {
      if (rank_[blocks_.block_of(other)] >= rank_[block]) return;
      --valid_[blocks_.block_of(other)];
    }
    map_.set(unit, block * parts_.logical.units() + position);
    ++valid_[block];
  });
}

void BlockResolver::find_empty() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (scan_[block].used() && valid_[block] == 0 && blocks_[block].state == BlockState::Free) {
      blocks_[block].erased = false;
      to_erase_.push_back(block);
    }
  for (LogicalBlock logical = 0; logical < parts_.logical.count(); ++logical)
    if (const BlockNumber block = parts_.logical.data(logical); block != kNoBlockNumber && valid_[block] == 0)
      parts_.logical.set_data(logical, kNoBlockNumber);
}

// Restores blocks with data as in use, and lists those that are no data block. Then the others may be erased.
std::vector<Leftover> BlockResolver::take_over() {
  std::vector<Leftover> leftovers;
  for (const BlockNumber block : found_) {
    if (valid_[block] == 0) continue;
    parts_.programs.restore(scan_, block, valid_[block]);
    const LogicalBlock logical = position_of_[block];
    if (logical >= in_position_.size())
      leftovers.push_back({block, kNoLogicalBlock});
    else if (parts_.logical.data(logical) != block)
      leftovers.push_back({block, logical});
  }
  for (const BlockNumber block : to_erase_) parts_.merges.erase_found(block);
  return leftovers;
}

}  // namespace flashloom
