#include "controllers/ftl/mapping/mapped_part.hpp"

#include "models/nand/nand_media.hpp"

namespace flashloom {

OobWord MappedPart::word_of(BlockNumber block, std::uint32_t position) const {
  const BlockInfo& info = blocks_[block];
  return info.pending != nullptr ? info.pending->oob[position]
                                 : context_.media.oob(blocks_.address(block, 0), position);
}

std::uint32_t MappedPart::roomiest_die() const {
  std::uint32_t roomiest = 0;
  for (std::uint32_t die = 1; die < context_.geometry.dies; ++die)
    if (blocks_.free().of_die(die) > blocks_.free().of_die(roomiest)) roomiest = die;
  return roomiest;
}

}  // namespace flashloom
