// Recovery of FTLs that map blocks, from the spare areas, and from the metadata log, which tells what was trimmed.
//
// A block whose words all stand at the offsets of one logical block is *in position*: a data block, a log block that
// was filled in order so far, or what a merge had copied when the power went. Of those of one logical block the one
// opened last that has everything which only older ones hold is its data block, so that what a finished merge left is
// dropped, and what an unfinished one had copied is dropped too. Else the newest version of a unit counts, and where
// several blocks have it, one in position that goes on from the data block (its merge can go on), then the data block.
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
  co_await scan.run();
  mounted_ = scan.report();
  scan.log().finish(keeper_);
  use_log(scan.log());
  programmer_.continue_after(scan.newest_sequence());
  std::vector<Leftover> leftovers;
  resolve(scan, leftovers);
  co_await use_leftovers(leftovers);
}

// Where there is too little left to go on a mount leaves all as it is: it can be read.
Task<void> BlockFtl::use_leftovers(const std::vector<Leftover>& leftovers) {
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
    if (blocks_.free_blocks(die) < blocks_.failure_reserve()) blocks_.wear_down();
  if (!worn_down()) co_await adopt(leftovers);
  read_only_ = worn_down();
  for (const Leftover& leftover : leftovers)
    if (worn_down() && blocks_[leftover.block].valid != 0 &&
        std::find(data_.begin(), data_.end(), leftover.block) == data_.end())
      last_.push_back(leftover.block);
}

void BlockFtl::use_log(const LogEntries& log) {
  const auto bury = [this](std::uint32_t unit, std::uint64_t version) {
    newest_version_ = std::max(newest_version_, version);
    if (!fault(Fault::TombstoneIgnored)) tombstones_.bury(unit, version);
  };
  const std::vector<std::uint64_t>& snapshot = log.snapshot();
  for (std::size_t i = LogEntry::kTombstones; i < snapshot.size(); ++i)
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

void BlockFtl::resolve(const BlockScan& scan, std::vector<Leftover>& leftovers) {
  const std::uint32_t units = units_per_block();
  const auto word = [&](BlockNumber block, std::uint32_t position) { return scan.word(block, position); };
  // Calls f(position, word, unit) for the data of a block.
  const auto each = [&](BlockNumber block, auto&& f) {
    for (std::uint32_t position = 0; position < units; ++position)
      if (const OobWord w = word(block, position); layout_.is_data(w)) f(position, w, layout_.unit(w));
  };

  std::vector<BlockNumber> found;  // that hold data, in the order of their opening
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (scan[block].used() && !scan[block].torn_erase && !scan[block].log) found.push_back(block);
  std::sort(found.begin(), found.end(),
            [&](BlockNumber a, BlockNumber b) { return scan[a].sequence < scan[b].sequence; });
  if (fault(Fault::LogBlockForgotten) && !found.empty()) found.pop_back();

  std::vector<std::uint64_t> newest(map_.size());  // 1 + version, of data or of their end by a trim
  std::vector<std::uint8_t> copies(map_.size());   // blocks that have it
  std::vector<LogicalBlock> position_of(blocks_.size(), kNoLogicalBlock);
  std::vector<std::vector<BlockNumber>> in_position(logical_blocks());
  for (const BlockNumber block : found) {
    LogicalBlock& logical = position_of[block];
    each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
      if (logical == kNoLogicalBlock && offset_of(unit) == position) logical = block_of_unit(unit);
      if (logical != block_of_unit(unit) || offset_of(unit) != position) logical = kMixed;
      const std::uint64_t version = layout_.version(w) + 1;
      newest_version_ = std::max(newest_version_, version - 1);
      if (version > newest[unit]) copies[unit] = 0;
      newest[unit] = fault(Fault::OlderVersion) && newest[unit] != 0 ? std::min(newest[unit], version)
                                                                     : std::max(newest[unit], version);
      copies[unit] += version == newest[unit] ? 1 : 0;
    });
    if (logical < logical_blocks()) in_position[logical].push_back(block);
  }
  for (std::uint32_t unit = 0; unit < map_.size() && tombstones_.count() != 0; ++unit) {
    const std::uint64_t version = tombstones_.version(unit);
    if (newest[unit] == 0) tombstones_.forget(unit);  // there is nothing that it could end
    if (version == 0 || version + 1 < newest[unit]) continue;
    newest[unit] = version + 2;  // above all data that it ends
    copies[unit] = 0;
  }
  const auto is_newest = [&](OobWord w, std::uint32_t unit) { return layout_.version(w) + 1 == newest[unit]; };

  std::vector<Rank> rank(blocks_.size(), kLog);
  for (LogicalBlock logical = 0; logical < logical_blocks(); ++logical) {
    const std::vector<BlockNumber>& list = in_position[logical];
    for (std::size_t i = list.size(); i-- > 0;) {
      bool covers = true;
      for (std::size_t older = 0; older < i; ++older)
        each(list[older], [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
          covers = covers && (!is_newest(w, unit) ||
                              (layout_.is_data(word(list[i], position)) && is_newest(word(list[i], position), unit)));
        });
      if (covers) {
        for (std::size_t older = 0; older < i; ++older) rank[list[older]] = kDropped;
        rank[list[i]] = kData;
        data_[logical] = list[i];
        break;
      }
      // Newer than the data block: does it have anything of its own, or only what a merge had copied so far?
      bool own = false;
      each(list[i], [&](std::uint32_t, OobWord w, std::uint32_t unit) {
        own = own || (is_newest(w, unit) && copies[unit] == 1);
      });
      rank[list[i]] = own ? kGoesOn : kDropped;
    }
  }

  std::vector<std::uint32_t> valid(blocks_.size());
  for (const BlockNumber block : found)
    each(block, [&](std::uint32_t position, OobWord w, std::uint32_t unit) {
      if (!is_newest(w, unit)) return;
      const PhysicalUnit other = map_.get(unit);
      if (other != kNoPhysicalUnit) {
        if (rank[blocks_.block_of(other)] >= rank[block]) return;
        --valid[blocks_.block_of(other)];
      }
      map_.set(unit, block * units + position);
      ++valid[block];
    });

  std::vector<BlockNumber> to_erase;
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (scan[block].used() && valid[block] == 0 && blocks_[block].state == BlockState::Free) {
      blocks_.restore_unerased(block);
      to_erase.push_back(block);
    }
  for (BlockNumber& block : data_)
    if (block != kNoBlockNumber && valid[block] == 0) block = kNoBlockNumber;
  for (const BlockNumber block : found) {
    if (valid[block] == 0) continue;
    restore(scan, block, valid[block]);
    const LogicalBlock logical = position_of[block];
    if (logical >= logical_blocks())
      leftovers.push_back({block, kNoLogicalBlock});
    else if (data_[logical] != block)
      leftovers.push_back({block, logical});
  }
  for (const BlockNumber block : to_erase) {
    blocks_.count_erase(block);
    eraser_.start(block, Origin::Merge);
  }
}

void BlockFtl::restore(const BlockScan& scan, BlockNumber block, std::uint32_t valid) {
  const NandGeometry& geometry = context_.geometry;
  std::uint32_t pages = 0;
  for (std::uint32_t page = 0; page < geometry.pages; ++page) pages += scan.written(block, page) ? 1 : 0;
  // What later programs may still hurt is not written on.
  if (programmer_.word_lines().safe(pages) < pages) pages = geometry.pages;
  blocks_.restore_in_use(block, pages, valid);
  if (pages == geometry.pages) return;
  if (!geometry.in_order_program) blocks_.write_in_any_order(block);
  PendingPages& pending = *blocks_[block].pending;
  for (std::uint32_t page = 0; page < geometry.pages; ++page) {
    if (!scan.written(block, page)) continue;
    if (!geometry.in_order_program) pending.done[page] = 1;
    for (std::uint32_t unit = page * geometry.units_per_page; unit < (page + 1) * geometry.units_per_page; ++unit) {
      const OobWord word = scan.word(block, unit);
      pending.oob[unit] = word != 0 ? word : layout_.padding();  // torn: nothing will come there
    }
  }
}

}  // namespace flashloom
