#include "controllers/ftl/mapping/nvram_resolver.hpp"

#include <algorithm>
#include <stdexcept>

namespace flashloom {

NvramResolver::NvramResolver(const MappedPart& ftl, const BlockParts& parts, NvramBlockMap& nvram_map)
    : MappedPart(ftl), parts_(parts), nvram_map_(nvram_map), open_(parts.logical.count(), kNoBlockNumber) {}

std::vector<std::uint8_t> NvramResolver::read_records() {
  using State = NvramBlockMap::State;
  std::vector<std::uint8_t> wanted(blocks_.size());
  const auto good = [this](BlockNumber block) { return blocks_[block].state == BlockState::Free; };
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const NvramBlockMap::Record record = nvram_map_.record(block);
    if (record.state == State::Garbage && good(block)) to_erase_.push_back(block);
    if (record.state != State::Data) continue;
    const BlockNumber data = parts_.logical.data(record.logical);
    const bool newer = data == kNoBlockNumber || nvram_map_.record(data).generation == ((record.generation + 3U) & 3);
    if (newer) parts_.logical.set_data(record.logical, block);
    if (const BlockNumber older = newer ? data : block; older != kNoBlockNumber) to_erase_.push_back(older);
  }
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const NvramBlockMap::Record record = nvram_map_.record(block);
    if (record.state != State::Open) continue;
    if (record.logical == kNoLogicalBlock) {
      shared_.push_back(block);
      wanted[block] = 1;
      continue;
    }
    const BlockNumber data = parts_.logical.data(record.logical);
    if (data != kNoBlockNumber && nvram_map_.record(data).generation == record.generation) {
      to_erase_.push_back(block);
      continue;
    }
    if (open_[record.logical] != kNoBlockNumber)
      throw std::logic_error("the map in NVRAM has two open blocks of one logical block");
    open_[record.logical] = block;
    wanted[block] = 1;
  }
  return wanted;
}

std::vector<Leftover> NvramResolver::run(const BlockScan& scan) {
  for (LogicalBlock logical = 0; logical < parts_.logical.count(); ++logical) use_records(scan, logical);
  use_shared(scan);
  return std::move(leftovers_);
}

void NvramResolver::erase() {
  for (const BlockNumber block : to_erase_) {
    blocks_[block].erased = false;
    parts_.merges.erase_found(block);
  }
}

void NvramResolver::use_records(const BlockScan& scan, LogicalBlock logical) {
  const BlockNumber open = open_[logical];
  const BlockNumber data = parts_.logical.data(logical);
  std::uint32_t of_data = 0;
  std::uint32_t of_open = 0;
  for (std::uint32_t offset = 0; offset < parts_.logical.units(); ++offset) {
    const std::uint64_t unit = std::uint64_t{parts_.logical.first_unit(logical)} + offset;
    if (unit >= map_.size()) break;
    BlockNumber from = data != kNoBlockNumber && nvram_map_.has(data, offset) ? data : kNoBlockNumber;
    if (open != kNoBlockNumber) {
      const OobWord word = scan.word(open, offset);
      if (layout_.is_data(word)) parts_.newest_version = std::max(parts_.newest_version, layout_.version(word));
      if (layout_.is_data(word) && layout_.unit(word) == unit && nvram_map_.has(open, offset)) from = open;
    }
    if (from == kNoBlockNumber) continue;
    ++(from == data ? of_data : of_open);
    map_.set(static_cast<std::uint32_t>(unit), from * parts_.logical.units() + offset);
  }
  if (data != kNoBlockNumber) {
    parts_.newest_version = std::max(parts_.newest_version, nvram_map_.version(data));
    blocks_.restore_in_use(data, context_.geometry.pages, of_data);
    parts_.logical.holds_data(data);
  }
  if (open != kNoBlockNumber) use_open(scan, {open, logical}, of_open);
}

void NvramResolver::use_open(const BlockScan& scan, const Leftover& open, std::uint32_t valid) {
  if (valid != 0) {
    parts_.programs.restore(scan, open.block, valid);
    leftovers_.push_back(open);
  } else if (scan[open.block].used()) {
    to_erase_.push_back(open.block);
  } else {
    nvram_map_.erased(open.block);
  }
}

// Data that a worn-down device took last: newer than data blocks, and than most open blocks.
void NvramResolver::use_shared(const BlockScan& scan) {
  std::vector<std::uint32_t> valid(blocks_.size());
  for (const BlockNumber block : shared_)
    for (std::uint32_t position = 0; position < parts_.logical.units(); ++position) {
      const OobWord word = scan.word(block, position);
      if (!layout_.is_data(word) || !nvram_map_.has(block, position)) continue;
      parts_.newest_version = std::max(parts_.newest_version, layout_.version(word));
      const std::uint32_t unit = layout_.unit(word);
      if (const PhysicalUnit other = map_.get(unit); other != kNoPhysicalUnit) {
        const BlockNumber in = blocks_.block_of(other);
        const OobWord known = scan.word(in, blocks_.offset_in_block(other, in));  // not data if it is in a data block
        if (layout_.is_data(known) && layout_.version(known) > layout_.version(word)) continue;
        if (std::find(shared_.begin(), shared_.end(), in) != shared_.end())
          --valid[in];
        else
          blocks_.invalidate(other, age());
      }
      map_.set(unit, block * parts_.logical.units() + position);
      ++valid[block];
    }
  for (const BlockNumber block : shared_) use_open(scan, {block, kNoLogicalBlock}, valid[block]);
}

}  // namespace flashloom
