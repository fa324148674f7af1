#include "controllers/ftl/mapping/block_image.hpp"

#include <algorithm>

namespace flashloom {

std::uint64_t BlockImage::most_words(const NandGeometry& geometry, std::uint64_t logical_blocks) {
  const std::uint64_t blocks = std::uint64_t{geometry.dies} * geometry.blocks;
  const std::uint64_t data = std::min(logical_blocks, blocks);
  const std::uint64_t done = geometry.in_order_program ? 0 : bits(geometry.pages);
  return blocks * (1 + done) + data * words_of(geometry, true) + (blocks - data) * words_of(geometry, false);
}

std::vector<LogicalBlock> BlockImage::logical_of() const {
  std::vector<LogicalBlock> logical(blocks_.size(), kNoLogicalBlock);
  for (LogicalBlock i = 0; i < data_.size(); ++i)
    if (data_[i] != kNoBlockNumber) logical[data_[i]] = i;
  return logical;
}

std::uint64_t BlockImage::words() const {
  const std::vector<LogicalBlock> logical = logical_of();
  std::uint64_t words = blocks_.size();
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if (in_use(block))
      words += words_of(geometry_, logical[block] != kNoLogicalBlock) +
               (has_bits(geometry_, blocks_[block].durable) ? bits(geometry_.pages) : 0);
  return words;
}

void BlockImage::add(std::vector<std::uint64_t>& words, const UnitMap& map) const {
  const std::vector<LogicalBlock> logical = logical_of();
  const std::size_t first = words.size();
  std::vector<std::size_t> valid(blocks_.size());  // where the valid units of a block begin
  words.resize(first + blocks_.size());
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (!in_use(block)) continue;
    const BlockInfo& info = blocks_[block];
    words[first + block] = (std::uint64_t{logical[block] + 1} << 32) | (std::uint64_t{info.durable} << 1) | 1;
    if (has_bits(geometry_, info.durable)) {
      const std::size_t at = words.size();
      words.resize(at + bits(geometry_.pages));
      for (std::uint32_t page = 0; page < geometry_.pages; ++page)
        if (info.pending->done[page] != 0) words[at + page / 64] |= std::uint64_t{1} << (page % 64);
    }
    valid[block] = words.size();
    words.resize(words.size() + words_of(geometry_, logical[block] != kNoLogicalBlock));
  }
  for (std::uint32_t unit = 0; unit < map.size(); ++unit) {
    const PhysicalUnit place = map.get(unit);
    if (place == kNoPhysicalUnit) continue;
    const BlockNumber block = blocks_.block_of(place);
    const std::uint32_t position = blocks_.offset_in_block(place, block);
    if (logical[block] != kNoLogicalBlock)
      words[valid[block] + position / 64] |= std::uint64_t{1} << (position % 64);
    else
      words[valid[block] + position / 2] |= (std::uint64_t{unit} + 1) << (position % 2 * 32);
  }
}

}  // namespace flashloom
