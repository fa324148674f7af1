// Gathers page reads that a die can carry out together: a multi-plane read, or parts of one page.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/nand/nand_media.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

class ReadGroup {
 public:
  /// Adds a read if the group is empty or the die can read it together with the group. The group is linked through
  /// OnfiCommand::together.
  bool add(OnfiCommand& read, const NandMedia& media) {
    read.together = nullptr;
    if (first_ == nullptr) {
      first_ = last_ = &read;
      size_ = 1;
      return true;
    }
    if (!media.geometry().reads_together() || !fits(read, media)) return false;
    last_->together = &read;
    last_ = &read;
    ++size_;
    return true;
  }
  bool empty() const { return first_ == nullptr; }
  /// Reads in the group.
  std::uint32_t size() const { return size_; }
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
  std::uint32_t size_ = 0;
};

/// Gathers reads of several dies, in any order: each read joins a group that it fits, or begins one.
class ReadGroups {
 public:
  explicit ReadGroups(const NandGeometry& geometry)
      : open_(geometry.reads_together() ? geometry.dies : 0, kNone),
        most_(geometry.partial_programs > 1 ? geometry.partial_programs : geometry.planes) {}

  /// The dies read page by page.
  bool none() const { return open_.empty(); }
  void add(OnfiCommand& read, const NandMedia& media) {
    std::uint32_t* link = &open_[read.address.die.value()];
    for (; *link != kNone; link = &groups_[*link].next) {
      Open& open = groups_[*link];
      if (!open.group.add(read, media)) continue;
      if (open.group.size() == most_) *link = open.next;
      return;
    }
    const std::uint32_t die = read.address.die.value();
    groups_.push_back({.next = open_[die]});
    groups_.back().group.add(read, media);
    open_[die] = static_cast<std::uint32_t>(groups_.size() - 1);
  }
  /// Calls f(first) for each group, in the order of their first reads. f must not add reads.
  template <class F>
  void take_all(F&& f) {
    for (Open& open : groups_) {
      OnfiCommand& first = open.group.take();
      open_[first.address.die.value()] = kNone;
      f(first);
    }
    groups_.clear();
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Open {
    ReadGroup group{};
    std::uint32_t next;  ///< next older group of the die; kNone: none
  };
  std::vector<Open> groups_;         ///< in the order of their first reads
  std::vector<std::uint32_t> open_;  ///< by die: the newest group that is not full
  std::uint32_t most_;               ///< reads a group
};

}  // namespace flashloom
