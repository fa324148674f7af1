// Mode in which each erase unit of a device is programmed, where firmware may choose: pseudo-SLC or with all its bits.
// A real die receives it as a prefix of the program command, and keeps a mark in the spare area; here firmware sets it
// before the first program, which makes it permanent. So the mode survives a power cut only together with data.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

class BlockModes {
 public:
  /// Of `blocks` erase units, none of them programmed. 0: firmware has no choice.
  explicit BlockModes(std::uint64_t blocks) : blocks_(blocks) {}

  /// Whether firmware has a choice; the members below require that.
  bool any() const { return !blocks_.empty(); }
  /// Takes effect with the first program after an erase.
  void choose(std::uint32_t block, bool slc) { blocks_[block].chosen = slc ? 1 : 0; }
  bool chosen(std::uint32_t block) const { return blocks_[block].chosen != 0; }
  /// Mode of the last program, even if the block has been erased since.
  bool slc(std::uint32_t block) const { return blocks_[block].slc != 0; }
  /// Erases after programs in SLC mode.
  std::uint32_t slc_erases(std::uint32_t block) const { return blocks_[block].slc_erases; }

  void first_programmed(std::uint32_t block) { blocks_[block].slc = blocks_[block].chosen; }
  void erased(std::uint32_t block) { blocks_[block].slc_erases += blocks_[block].slc; }

  template <class Archive>
  void state(Archive& archive) {
    if (any()) archive.table(blocks_.data(), blocks_.size());
  }

 private:
  struct Mode {
    std::uint32_t slc_erases = 0;
    std::uint16_t slc = 0;
    std::uint16_t chosen = 0;
  };
  std::vector<Mode> blocks_;
};

}  // namespace flashloom
