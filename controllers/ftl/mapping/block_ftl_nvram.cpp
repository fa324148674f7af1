// Block-mapped FTLs with the map in NVRAM (NvramBlockMap): NVRAM writes of merges and trims, and the mount.
//
// A merge is decided at once, and *settled* when its programs are done: NVRAM then records it, and the merged blocks
// may be erased. Until then no other block is opened for the logical block, so NVRAM has at most one open block for it.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "controllers/ftl/mapping/block_ftl.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

// `target` gets no more writes: its data must not wait for any.
void BlockFtl::settle(LogicalBlock logical, BlockNumber target) {
  if (free_settlements_.empty()) free_settlements_.push_back(&settlements_.emplace_back());
  Settlement& settlement = *free_settlements_.back();
  free_settlements_.pop_back();
  settlement.logical = logical;
  settlement.target = target;
  settlement.sources.clear();
  settlement.sources.swap(given_up_);
  if (target != kNoBlockNumber) close_word_lines(target);
  unsettled_[logical] = 1;
  Runtime::current().spawn([this, &settlement] { return pass_settlement(settlement); });
}

Task<void> BlockFtl::pass_settlement(Settlement& settlement) {
  const BlockNumber target = settlement.target;
  std::uint64_t version = 0;
  if (target != kNoBlockNumber) {
    while (!all_programmed(target) && !fault(Fault::RecordedTooEarly))
      co_await blocks_.waits().events(blocks_.die_of(target)).durable.wait();
    bits_.assign((units_per_block() + 63) / 64, 0);
    for (std::uint32_t offset = 0; offset < units_per_block(); ++offset) {
      if (!lies_in(place_of(settlement.logical, offset), target)) continue;
      bits_[offset / 64] |= std::uint64_t{1} << (offset % 64);
      version = std::max(version, layout_.version(word_of(target, offset)));
    }
  }
  co_await nvram_map_->replace(target, bits_, version, settlement.sources);
  for (const BlockNumber source : settlement.sources) blocks_.waits().copy_done(source);
  unsettled_[settlement.logical] = 0;
  free_settlements_.push_back(&settlement);
  settled_.wake_all();
}

bool BlockFtl::all_programmed(BlockNumber block) const {
  const BlockInfo& info = blocks_[block];
  return info.pending == nullptr || (info.durable == info.allocated && info.pending->exposed.empty());
}

Task<void> BlockFtl::until_settled(LogicalBlock logical) {
  while (unsettled_[logical] != 0) co_await settled_.wait();
}

// A unit may be in the data block and, in a newer version, in a block being written.
Task<void> BlockFtl::trim_in_nvram(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t end = first + count;
  for (std::uint32_t unit = first; unit < end; unit += units_per_block() - offset_of(unit))
    co_await until_settled(block_of_unit(unit));
  for (std::uint32_t unit = first; unit < end;) {
    const LogicalBlock logical = block_of_unit(unit);
    const std::uint32_t word = offset_of(unit) / 64;
    std::uint64_t bits = 0;
    BlockNumber other = kNoBlockNumber;
    for (; unit < end && block_of_unit(unit) == logical && offset_of(unit) / 64 == word; ++unit) {
      bits |= std::uint64_t{1} << (offset_of(unit) % 64);
      const PhysicalUnit place = map_.get(unit);
      if (place != kNoPhysicalUnit && !lies_in(place, data_[logical])) other = blocks_.block_of(place);
    }
    if (data_[logical] != kNoBlockNumber) nvram_map_->clear(data_[logical], word, bits);
    if (other == kNoBlockNumber) continue;
    // In the block being written, clear only units present there: others may still be written to it.
    std::uint64_t there = 0;
    for (std::uint32_t bit = 0; bit < 64; ++bit)
      if ((bits >> bit & 1) != 0 && lies_in(place_of(logical, word * 64 + bit), other))
        there |= std::uint64_t{1} << bit;
    nvram_map_->clear(other, word, there);
  }
  co_await nvram_map_->cleared();
}

Task<void> BlockFtl::recover_from_nvram() {
  using State = NvramBlockMap::State;
  co_await nvram_map_->read();
  std::vector<BlockNumber> open(logical_blocks(), kNoBlockNumber);
  std::vector<BlockNumber> shared;
  std::vector<BlockNumber> to_erase;
  std::vector<std::uint8_t> wanted(blocks_.size());
  const auto good = [this](BlockNumber block) { return blocks_[block].state == BlockState::Free; };
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const NvramBlockMap::Record record = nvram_map_->record(block);
    if (record.state == State::Garbage && good(block)) to_erase.push_back(block);
    if (record.state != State::Data) continue;
    BlockNumber& data = data_[record.logical];
    BlockNumber older = block;
    if (data == kNoBlockNumber || nvram_map_->record(data).generation == ((record.generation + 3U) & 3))
      std::swap(data, older);
    if (older != kNoBlockNumber) to_erase.push_back(older);
  }
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const NvramBlockMap::Record record = nvram_map_->record(block);
    if (record.state != State::Open) continue;
    if (record.logical == kNoLogicalBlock) {
      shared.push_back(block);
      wanted[block] = 1;
      continue;
    }
    const BlockNumber data = data_[record.logical];
    if (data != kNoBlockNumber && nvram_map_->record(data).generation == record.generation) {
      to_erase.push_back(block);
      continue;
    }
    if (open[record.logical] != kNoBlockNumber)
      throw std::logic_error("the map in NVRAM has two open blocks of one logical block");
    open[record.logical] = block;
    wanted[block] = 1;
  }
  BlockScan scan(context_, blocks_, layout_);
  co_await scan.run_some(wanted);
  mounted_ = scan.report();
  programmer_.numbers().continue_after(scan.newest_sequence());
  std::vector<Leftover> leftovers;
  for (LogicalBlock logical = 0; logical < logical_blocks(); ++logical)
    use_records(scan, logical, open[logical], leftovers, to_erase);
  use_shared(scan, shared, leftovers, to_erase);
  co_await nvram_map_->replace(kNoBlockNumber, bits_, 0, to_erase);
  for (const BlockNumber block : to_erase) {
    blocks_[block].erased = false;
    blocks_.count_erase(block);
    eraser_.start(block, Origin::Merge);
  }
  co_await use_leftovers(leftovers);
}

void BlockFtl::use_records(const BlockScan& scan, LogicalBlock logical, BlockNumber open,
                           std::vector<Leftover>& leftovers, std::vector<BlockNumber>& to_erase) {
  const BlockNumber data = data_[logical];
  std::uint32_t of_data = 0;
  std::uint32_t of_open = 0;
  for (std::uint32_t offset = 0; offset < units_per_block(); ++offset) {
    const std::uint64_t unit = std::uint64_t{first_unit(logical)} + offset;
    if (unit >= map_.size()) break;
    BlockNumber from = data != kNoBlockNumber && nvram_map_->has(data, offset) ? data : kNoBlockNumber;
    if (open != kNoBlockNumber) {
      const OobWord word = scan.word(open, offset);
      if (layout_.is_data(word)) newest_version_ = std::max(newest_version_, layout_.version(word));
      if (layout_.is_data(word) && layout_.unit(word) == unit && nvram_map_->has(open, offset)) from = open;
    }
    if (from == kNoBlockNumber) continue;
    ++(from == data ? of_data : of_open);
    map_.set(static_cast<std::uint32_t>(unit), from * units_per_block() + offset);
  }
  if (data != kNoBlockNumber) {
    newest_version_ = std::max(newest_version_, nvram_map_->version(data));
    blocks_.restore_in_use(data, context_.geometry.pages, of_data);
    holds_data(data);
  }
  if (open != kNoBlockNumber) use_open(scan, {open, logical}, of_open, leftovers, to_erase);
}

void BlockFtl::use_open(const BlockScan& scan, const Leftover& open, std::uint32_t valid,
                        std::vector<Leftover>& leftovers, std::vector<BlockNumber>& to_erase) {
  if (valid != 0) {
    restore(scan, open.block, valid);
    leftovers.push_back(open);
  } else if (scan[open.block].used()) {
    to_erase.push_back(open.block);
  } else {
    nvram_map_->erased(open.block);
  }
}

// Data that a worn-down device took last: newer than data blocks, and than most open blocks.
void BlockFtl::use_shared(const BlockScan& scan, const std::vector<BlockNumber>& shared,
                          std::vector<Leftover>& leftovers, std::vector<BlockNumber>& to_erase) {
  std::vector<std::uint32_t> valid(blocks_.size());
  for (const BlockNumber block : shared)
    for (std::uint32_t position = 0; position < units_per_block(); ++position) {
      const OobWord word = scan.word(block, position);
      if (!layout_.is_data(word) || !nvram_map_->has(block, position)) continue;
      newest_version_ = std::max(newest_version_, layout_.version(word));
      const std::uint32_t unit = layout_.unit(word);
      if (const PhysicalUnit other = map_.get(unit); other != kNoPhysicalUnit) {
        const BlockNumber in = blocks_.block_of(other);
        const OobWord known = scan.word(in, blocks_.offset_in_block(other, in));  // not data if it is in a data block
        if (layout_.is_data(known) && layout_.version(known) > layout_.version(word)) continue;
        if (std::find(shared.begin(), shared.end(), in) != shared.end())
          --valid[in];
        else
          blocks_.invalidate(other, age());
      }
      map_.set(unit, block * units_per_block() + position);
      ++valid[block];
    }
  for (const BlockNumber block : shared) use_open(scan, {block, kNoLogicalBlock}, valid[block], leftovers, to_erase);
}

}  // namespace flashloom
