// In which mode each erase unit of a device is programmed, where firmware may choose: in pseudo-SLC mode or with all its
// bits. A real die is told by a prefix of the program command, and a mark in the spare area keeps it; here firmware says
// it before the first program, which makes it last. So it outlives a power cut with the data, and is unknown without.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

class BlockModes {
 public:
  /// Of `blocks` erase units, none of them programmed. 0: firmware has no choice.
  explicit BlockModes(std::uint64_t blocks) : blocks_(blocks) {}

  /// Firmware has a choice; what follows is only for that.
  bool any() const { return !blocks_.empty(); }
  /// From its next first program on.
  void choose(std::uint32_t block, bool slc) { blocks_[block].chosen = slc ? 1 : 0; }
  bool chosen(std::uint32_t block) const { return blocks_[block].chosen != 0; }
  /// What was programmed last, be it erased or not.
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
