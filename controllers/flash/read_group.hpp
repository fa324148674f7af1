// Gathers page reads of one die that it can carry out together: a multi-plane read, or parts of one page.
#pragma once

#include <utility>

#include "models/nand/nand_media.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

class ReadGroup {
 public:
  /// Takes a read in, if it is the first or the die can read it together with those that are in. The group's links are
  /// the commands' own (OnfiCommand::together).
  bool add(OnfiCommand& read, const NandMedia& media) {
    read.together = nullptr;
    if (first_ == nullptr) {
      first_ = last_ = &read;
      return true;
    }
    if (!media.geometry().reads_together() || !fits(read, media)) return false;
    last_->together = &read;
    last_ = &read;
    return true;
  }
  bool empty() const { return first_ == nullptr; }
  const OnfiCommand& first() const { return *first_; }
  /// Returns the first read of the group, to which the others are linked, and begins a new group.
  OnfiCommand& take() { return *std::exchange(first_, nullptr); }

 private:
  bool fits(const OnfiCommand& read, const NandMedia& media) const {
    if (read.address.die != first_->address.die) return false;
    for (const OnfiCommand* other = first_; other != nullptr; other = other->together)
      if (!media.together(other->address, read.address)) return false;
    return true;
  }

  OnfiCommand* first_ = nullptr;
  OnfiCommand* last_ = nullptr;
};

}  // namespace flashloom
