// Copies the valid units of victims: finds them, and decides on a new place in the same group for each at once; Copier
// and Eraser carry out the flash commands later.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "controllers/ftl/collect/move_listener.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"

namespace flashloom {

class Relocator : private FtlPart {
 public:
  Relocator(const FtlPart& part, Victims& victims, OpenBlocks& open);

  /// `listener` hears of all moves; a filter hears of them first.
  void attach(MoveListener& listener);
  void set_filter(std::unique_ptr<MoveFilter> filter);
  void collected(std::uint32_t group) {
    if (listener_ != nullptr) listener_->collected(group);
  }
  /// Copies up to `units` units of the group's victim; false if a block must be opened first (`units`: what is left).
  bool copy_now(std::uint32_t group, std::uint32_t& units);
  /// The same, opening blocks as needed. Copying stops if none can be opened for it: the device is then worn down. If
  /// the victim's source gives up its collection, there is no victim any more.
  Task<void> copy(std::uint32_t group, std::uint32_t units);

  void state(StateArchive& archive) {
    if (filter_ != nullptr) archive(*filter_);
  }

 private:
  using Moving = FlashPort::Copied;  ///< a valid unit of a victim

  std::uint32_t find_valid(Victim& victim, const NandMedia::BlockWords& words, std::span<Moving> found);
  void foresee(std::uint32_t group);
  void copy_runs(std::uint32_t group, std::uint32_t& units);
  bool lacks_room(std::uint32_t group) const;

  Victims& victims_;
  OpenBlocks& open_;
  CopyBlocks& copies_;
  std::vector<Moving> found_;           // only while copies are decided on
  std::uint32_t last_group_ = 0;        // that had copies
  std::unique_ptr<MoveFilter> filter_;  // with flexible data placement
  MoveListener* listener_ = nullptr;
};

}  // namespace flashloom
