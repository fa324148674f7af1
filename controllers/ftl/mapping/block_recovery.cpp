// Recovery of block-mapped FTLs from the spare areas, and from the metadata log, which records trims.
//
// A block whose words all are at the offsets of one logical block is *in position*: a data block, a log block filled in
// order so far, or the copies of a merge cut off by power loss. Of the blocks in position for a logical block, the data
// block is the one opened last that holds the newest version of everything in the older ones. So the sources of a
// finished merge and the copies of an unfinished one are dropped. Otherwise the newest version of a unit counts; if
// several blocks hold it, one in position that is newer than the data block (its merge can continue), then the data
// block.
#include <algorithm>

#include "controllers/ftl/mapping/block_ftl.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {
namespace {

constexpr LogicalBlock kMixed = kNoLogicalBlock - 1;

enum Rank : std::uint8_t { kDropped, kLog, kData, kGoesOn };

}  // namespace

Task<void> BlockFtl::recover() {
  if (nvram_map_ != nullptr) {
    co_await recover_from_nvram();
    co_return;
  }
  BlockScan scan(context_, blocks_, layout_);
  if (checkpoints_) {
    co_await recover_from_checkpoint(scan);
  } else {
    co_await scan.run();
    scan.log().finish(keeper_);
    use_log(scan.log());
  }
  const bool from_checkpoint = checkpoints_ && !scan.log().snapshot().empty();
  mounted_ = scan.report();
  mounted_.from_checkpoint = from_checkpoint;
  programmer_.numbers().continue_after(scan.newest_sequence());
  std::vector<Leftover> leftovers;
  resolve(scan, leftovers);
  co_await use_leftovers(leftovers);
}

// If too few blocks are left to continue, the mount changes nothing, and the data stay readable.
Task<void> BlockFtl::use_leftovers(const std::vector<Leftover>& leftovers) {
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
    if (blocks_.free().of_die(die) < blocks_.spare().failure_reserve()) blocks_.spare().wear_down();
  if (!worn_down()) co_await adopt(leftovers);
  read_only_ = worn_down();
  for (const Leftover& leftover : leftovers)
    if (worn_down() && blocks_[leftover.block].valid != 0 &&
        std::find(data_.begin(), data_.end(), leftover.block) == data_.end()) {
      if (nvram_map_ != nullptr) co_await nvram_map_->share(leftover.block);
      last_.push_back(leftover.block);
    }
}

void BlockFtl::use_log(const LogEntries& log) {
  const auto bury = [this](std::uint32_t unit, std::uint64_t version) {
    newest_version_ = std::max(newest_version_, version);
    if (!fault(Fault::TombstoneIgnored)) tombstones_.bury(unit, version);
  };
  const std::vector<std::uint64_t>& snapshot = log.snapshot();
  for (std::size_t i = LogEntry::kTombstones; i < snapshot.size() && !checkpoints_; ++i)
    bury(layout_.unit(snapshot[i]), layout_.version(snapshot[i]));
  bool skip = fault(Fault::LogEntrySkipped);
  for (const LogEntry& entry : log.records()) {
    const auto trim = [&](std::uint32_t first, std::uint32_t count, std::uint64_t version) {
      for (std::uint32_t unit = first; unit < first + count && !skip; ++unit) bury(unit, version);
    };
    entry.each_record(context_.geometry.units_per_program(), trim, [](const std::uint64_t*) {});
    skip = false;
  }
  for (const BlockNumber block : log.blocks()) blocks_.restore_dedicated(block);
}

// Takes what checkpoint and journal say, then reads what they do not cover. The versions of data in the checkpoint are
// unknown; they are read where they decide whether data written since are newer, or copies of a merge.
Task<void> BlockFtl::recover_from_checkpoint(BlockScan& scan) {
  co_await scan.look();
  LogEntries& log = scan.log();
  log.finish(keeper_);
  use_log(log);
  std::uint64_t newest = 0;
  if (const std::vector<std::uint64_t>& snapshot = log.snapshot(); !snapshot.empty()) {
    newest = snapshot[0];
    newest_version_ = std::max(newest_version_, newest);
    std::vector<BlockImage::Entry> entries;
    BlockImage::each(snapshot.data() + MapKeeper::kImage, context_.geometry,
                     [&entries](const BlockImage::Entry& entry) { entries.push_back(entry); });
    if (fault(Fault::EntryForgotten) && !entries.empty()) entries.pop_back();
    co_await scan.cover(snapshot[1], entries);
  }
  bool skip = fault(Fault::LogEntrySkipped);
  for (const LogEntry& entry : log.records()) {
    entry.each_record(
        context_.geometry.units_per_program(), [](std::uint32_t, std::uint32_t, std::uint64_t) {},
        [&](const std::uint64_t* record) {
          scan.take_record(static_cast<BlockNumber>(record[1] >> 32), static_cast<std::uint32_t>(record[1]), record[2],
                           skip ? nullptr : record + 3);
        });
    skip = false;
  }
  co_await scan.run_rest();
  co_await scan.read_versions(doubtful(scan, newest));
}

// Finds out from the words of a scan which block holds what, in the steps of run().
class BlockFtl::Resolver {
 public:
  Resolver(BlockFtl& ftl, const BlockScan& scan)
      : ftl_(ftl),
        scan_(scan),
        layout_(ftl.layout_),
        newest_(ftl.map_.size()),
        copies_(ftl.map_.size()),
        position_of_(ftl.blocks_.size(), kNoLogicalBlock),
        in_position_(ftl.logical_blocks()),
        rank_(ftl.blocks_.size(), kLog),
        valid_(ftl.blocks_.size()) {}

  void run(std::vector<Leftover>& leftovers) {
    find_blocks();
    for (const BlockNumber block : found_) read_words(block);
    end_what_was_trimmed();
    for (LogicalBlock logical = 0; logical < in_position_.size(); ++logical) choose_data_block(logical);
    for (const BlockNumber block : found_) map_units(block);
    erase_what_is_empty();
    take_over(leftovers);
  }

  // Places from the checkpoint of units for which a block in position has a version that may be equal, so that the data
  // block may not be the older one.
  std::vector<PhysicalUnit> doubtful(std::uint64_t newest) {
    find_blocks();
    std::vector<PhysicalUnit> originals(newest_.size(), kNoPhysicalUnit);
    for (const BlockNumber block : found_) {
      read_words(block);
      each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
        if (layout_.version(w) == 0) originals[unit] = block * ftl_.units_per_block() + position;
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

 private:
  // Calls f(position, word, unit) for the data of a block.
  template <class F>
  void each(BlockNumber block, F&& f) const {
    for (std::uint32_t position = 0; position < ftl_.units_per_block(); ++position)
      if (const OobWord w = scan_.word(block, position); layout_.is_data(w)) f(position, w, layout_.unit(w));
  }
  bool is_newest(OobWord w, std::uint32_t unit) const { return layout_.version(w) + 1 == newest_[unit]; }

  // Finds the blocks that hold data, in the order of opening.
  void find_blocks() {
    for (BlockNumber block = 0; block < ftl_.blocks_.size(); ++block)
      if (scan_[block].used() && !scan_[block].torn_erase && !scan_[block].log) found_.push_back(block);
    std::sort(found_.begin(), found_.end(),
              [this](BlockNumber a, BlockNumber b) { return scan_[a].sequence < scan_[b].sequence; });
    if (fault(Fault::LogBlockForgotten) && !found_.empty()) found_.pop_back();
  }

  // Finds the logical block for which a block is in position, if any, and the versions of its units.
  void read_words(BlockNumber block) {
    LogicalBlock& logical = position_of_[block];
    each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
      if (logical == kNoLogicalBlock && ftl_.offset_of(unit) == position) logical = ftl_.block_of_unit(unit);
      if (logical != ftl_.block_of_unit(unit) || ftl_.offset_of(unit) != position) logical = kMixed;
      const std::uint64_t version = layout_.version(w) + 1;
      std::uint64_t& newest = newest_[unit];
      ftl_.newest_version_ = std::max(ftl_.newest_version_, version - 1);
      if (version > newest) copies_[unit] = 0;
      newest = fault(Fault::OlderVersion) && newest != 0 ? std::min(newest, version) : std::max(newest, version);
      copies_[unit] += version == newest ? 1 : 0;
    });
    if (logical < in_position_.size()) in_position_[logical].push_back(block);
  }

  void end_what_was_trimmed() {
    Tombstones& tombstones = ftl_.tombstones_;
    for (std::uint32_t unit = 0; unit < newest_.size() && tombstones.count() != 0; ++unit) {
      const std::uint64_t version = tombstones.version(unit);
      if (newest_[unit] == 0) tombstones.forget(unit);  // no data of the unit are left that the trim could end
      if (version == 0 || version + 1 < newest_[unit]) continue;
      newest_[unit] = version + 2;  // above the versions of all data that the trim ends
      copies_[unit] = 0;
    }
  }

  // Chooses among the blocks in position for the logical block, starting with the one opened last.
  void choose_data_block(LogicalBlock logical) {
    const std::vector<BlockNumber>& list = in_position_[logical];
    for (std::size_t i = list.size(); i-- > 0;) {
      if (covers(list[i], list, i)) {
        for (std::size_t older = 0; older < i; ++older) rank_[list[older]] = kDropped;
        rank_[list[i]] = kData;
        ftl_.data_[logical] = list[i];
        return;
      }
      rank_[list[i]] = has_own(list[i]) ? kGoesOn : kDropped;
    }
  }
  // Whether the block has the newest version of every unit of which one of the first `older` blocks of the list has it.
  bool covers(BlockNumber block, const std::vector<BlockNumber>& list, std::size_t older) const {
    bool all = true;
    for (std::size_t i = 0; i < older; ++i)
      each(list[i], [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
        const OobWord mine = scan_.word(block, position);
        all = all && (!is_newest(w, unit) || (layout_.is_data(mine) && is_newest(mine, unit)));
      });
    return all;
  }
  // Whether the block holds data that no other block has, and so more than the copies of an unfinished merge.
  bool has_own(BlockNumber block) const {
    bool own = false;
    each(block, [&](std::uint32_t, OobWord w, std::uint32_t unit) {
      own = own || (is_newest(w, unit) && copies_[unit] == 1);
    });
    return own;
  }

  // Of equal versions, the one in the block of the higher rank counts; of equal ranks, the one found first.
  void map_units(BlockNumber block) {
    const BlockTable& blocks = ftl_.blocks_;
    each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
      if (!is_newest(w, unit)) return;
      const PhysicalUnit other = ftl_.map_.get(unit);
      if (other != kNoPhysicalUnit) {
        if (rank_[blocks.block_of(other)] >= rank_[block]) return;
        --valid_[blocks.block_of(other)];
      }
      ftl_.map_.set(unit, block * ftl_.units_per_block() + position);
      ++valid_[block];
    });
  }

  void erase_what_is_empty() {
    BlockTable& blocks = ftl_.blocks_;
    for (BlockNumber block = 0; block < blocks.size(); ++block)
      if (scan_[block].used() && valid_[block] == 0 && blocks[block].state == BlockState::Free) {
        blocks[block].erased = false;
        to_erase_.push_back(block);
      }
    for (BlockNumber& block : ftl_.data_)
      if (block != kNoBlockNumber && valid_[block] == 0) block = kNoBlockNumber;
  }

  // Restores blocks with data as in use, and lists those that are no data block. Then the others may be erased.
  void take_over(std::vector<Leftover>& leftovers) {
    for (const BlockNumber block : found_) {
      if (valid_[block] == 0) continue;
      ftl_.restore(scan_, block, valid_[block]);
      const LogicalBlock logical = position_of_[block];
      if (logical >= in_position_.size())
        leftovers.push_back({block, kNoLogicalBlock});
      else if (ftl_.data_[logical] != block)
        leftovers.push_back({block, logical});
    }
    for (const BlockNumber block : to_erase_) {
      ftl_.blocks_.count_erase(block);
      ftl_.eraser_.start(block, Origin::Merge);
    }
  }

  BlockFtl& ftl_;
  const BlockScan& scan_;
  const OobLayout& layout_;
  std::vector<BlockNumber> found_;
  std::vector<std::uint64_t> newest_;                  // by unit: 1 + newest version, of data or of an ending trim
  std::vector<std::uint8_t> copies_;                   // by unit: number of blocks that have that version
  std::vector<LogicalBlock> position_of_;              // by block: logical block for which it is in position; or kMixed
  std::vector<std::vector<BlockNumber>> in_position_;  // by logical block, in the order of opening
  std::vector<Rank> rank_;                             // by block
  std::vector<std::uint32_t> valid_;                   // by block: valid units
  std::vector<BlockNumber> to_erase_;
};

void BlockFtl::resolve(const BlockScan& scan, std::vector<Leftover>& leftovers) {
  Resolver(*this, scan).run(leftovers);
}

std::vector<PhysicalUnit> BlockFtl::doubtful(const BlockScan& scan, std::uint64_t newest) {
  return Resolver(*this, scan).doubtful(newest);
}

void BlockFtl::restore(const BlockScan& scan, BlockNumber block, std::uint32_t valid) {
  const NandGeometry& geometry = context_.geometry;
  std::uint32_t pages = 0;
  for (std::uint32_t page = 0; page < geometry.pages; ++page) pages += scan.written(block, page) ? 1 : 0;
  // A block whose data later programs could still destroy is not programmed any further.
  if (programmer_.exposed().word_lines().safe(pages) < pages) pages = geometry.pages;
  restore_block(context_, layout_, scan, blocks_, {.block = block, .pages = pages, .valid = valid});
  holds_data(block);
}

}  // namespace flashloom
