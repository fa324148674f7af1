#include "controllers/ftl/mapping/block_resolver.hpp"

#include <algorithm>

#include "controllers/runtime/fault.hpp"

namespace flashloom {

BlockResolver::BlockResolver(const MappedPart& ftl, const BlockParts& parts, Tombstones& tombstones, BlockScan& scan)
    : MappedPart(ftl),
      parts_(parts),
      tombstones_(tombstones),
      scan_(scan),
      newest_(map_.size()),
      copies_(map_.size()),
      position_of_(blocks_.size(), kNoLogicalBlock),
      in_position_(parts.logical.count()),
      rank_(blocks_.size(), kLog),
      valid_(blocks_.size()) {}

Task<void> BlockResolver::read(MapKeeper& keeper) {
  const bool checkpoints = keeper.method().checkpoints;
  if (checkpoints)
    co_await scan_.look();
  else
    co_await scan_.run();
  LogEntries& log = scan_.log();
  log.finish(keeper);
  take_trims(log, checkpoints);
  if (!checkpoints) co_return;
  std::uint64_t newest = 0;
  if (const std::vector<std::uint64_t>& snapshot = log.snapshot(); !snapshot.empty()) {
    newest = snapshot[0];
    parts_.newest_version = std::max(parts_.newest_version, newest);
    std::vector<BlockImage::Entry> entries;
    BlockImage::each(snapshot.data() + MapKeeper::kImage, context_.geometry,
                     [&entries](const BlockImage::Entry& entry) { entries.push_back(entry); });
    if (fault(Fault::EntryForgotten) && !entries.empty()) entries.pop_back();
    co_await scan_.cover(snapshot[1], entries);
  }
  bool skip = fault(Fault::LogEntrySkipped);
  for (const LogEntry& entry : log.records()) {
    entry.each_record(
        units_per_program_, [](std::uint32_t, std::uint32_t, std::uint64_t) {},
        [&](const std::uint64_t* record) {
          scan_.take_record(static_cast<BlockNumber>(record[1] >> 32), static_cast<std::uint32_t>(record[1]), record[2],
                            skip ? nullptr : record + 3);
        });
    skip = false;
  }
  co_await scan_.run_rest();
  co_await scan_.read_versions(BlockResolver(*this).doubtful(newest));
}

// Takes the trims of the log, and its blocks.
void BlockResolver::take_trims(const LogEntries& log, bool checkpoints) {
  const auto bury = [this](std::uint32_t unit, std::uint64_t version) {
    parts_.newest_version = std::max(parts_.newest_version, version);
    if (!fault(Fault::TombstoneIgnored)) tombstones_.bury(unit, version);
  };
  const std::vector<std::uint64_t>& snapshot = log.snapshot();
  for (std::size_t i = LogEntry::kTombstones; i < snapshot.size() && !checkpoints; ++i)
    bury(layout_.unit(snapshot[i]), layout_.version(snapshot[i]));
  bool skip = fault(Fault::LogEntrySkipped);
  for (const LogEntry& entry : log.records()) {
    const auto trim = [&](std::uint32_t first, std::uint32_t count, std::uint64_t version) {
      for (std::uint32_t unit = first; unit < first + count && !skip; ++unit) bury(unit, version);
    };
    entry.each_record(units_per_program_, trim, [](const std::uint64_t*) {});
    skip = false;
  }
  for (const BlockNumber block : log.blocks()) blocks_.restore_dedicated(block);
}

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
  for (std::uint32_t unit = 0; unit < newest_.size() && tombstones_.count() != 0; ++unit) {
    const std::uint64_t version = tombstones_.version(unit);
    if (newest_[unit] == 0) tombstones_.forget(unit);  // no data of the unit are left that the trim could end
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
