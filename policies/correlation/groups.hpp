// Buffered pages in groups by order of arrival.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <vector>

#include "policies/eviction.hpp"

namespace flashloom {

/// A slot is in one group at most. O(1).
class ArrivalGroups {
 public:
  using Group = std::uint32_t;
  static constexpr Group kNone = ~Group{0};

  explicit ArrivalGroups(std::uint32_t capacity)
      : pages_(capacity), of_(capacity, kNone), lists_(capacity + 1), sizes_(capacity + 1) {
    free_.reserve(lists_.size());
    for (Group group = capacity + 1; group-- > 0;) free_.push_back(group);
  }

  /// Takes an empty group, of which there always is one. The caller must return it, empty.
  Group take() {
    const Group group = free_.back();
    free_.pop_back();
    return group;
  }
  void give_back(Group group) { free_.push_back(group); }

  Group of(Slot slot) const { return of_[slot]; }
  std::uint32_t size(Group group) const { return sizes_[group]; }
  void append(Group group, Slot slot) {
    of_[slot] = group;
    lists_[group].push_back(pages_[slot]);
    ++sizes_[group];
  }
  void remove(Slot slot) {
    const Group group = of_[slot];
    lists_[group].erase(lists_[group].iterator_to(pages_[slot]));
    --sizes_[group];
    of_[slot] = kNone;
  }
  template <class Each>
  void for_each(Group group, Each&& each) const {
    for (const Page& page : lists_[group]) each(static_cast<Slot>(&page - pages_.data()));
  }

  void state(StateArchive& archive) {
    std::vector<std::uint32_t> saved;  // per group: number, size, slots
    for (Group group = 0; group < lists_.size() && !archive.loading(); ++group) {
      if (sizes_[group] == 0) continue;
      saved.insert(saved.end(), {group, sizes_[group]});
      for_each(group, [&saved](Slot slot) { saved.push_back(slot); });
    }
    archive(saved, free_);
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < saved.size();) {
      const Group group = saved[i];
      const std::size_t end = i + 2 + saved[i + 1];
      for (i += 2; i < end; ++i) append(group, saved[i]);
    }
  }

 private:
  struct Page : boost::intrusive::list_base_hook<> {};
  using List = boost::intrusive::list<Page, boost::intrusive::constant_time_size<false>>;

  std::vector<Page> pages_;  // by slot
  std::vector<Group> of_;    // by slot
  std::vector<List> lists_;
  std::vector<std::uint32_t> sizes_;
  std::vector<Group> free_;
};

/// Sets by time: each `threshold` pages that arrive in succession form a window. A page that is written again leaves
/// its window, if that is complete, and arrives anew.
class TemporalSets {
 public:
  TemporalSets(std::uint32_t capacity, std::uint32_t threshold)
      : groups_(capacity), threshold_(threshold), open_(groups_.take()) {}

  void written(Slot slot) {
    const ArrivalGroups::Group group = groups_.of(slot);
    if (group == open_) return;
    if (group != ArrivalGroups::kNone) removed(slot);
    groups_.append(open_, slot);
    if (++arrived_ < threshold_) return;
    arrived_ = 0;
    open_ = groups_.take();
  }
  void removed(Slot slot) {
    const ArrivalGroups::Group group = groups_.of(slot);
    groups_.remove(slot);
    if (group != open_ && groups_.size(group) == 0) groups_.give_back(group);
  }
  /// Members of the slot's window for which `belongs(slot)`.
  template <class Belongs>
  void set_of(Slot slot, std::vector<Slot>& members, Belongs&& belongs) const {
    if (groups_.of(slot) == open_) return;
    groups_.for_each(groups_.of(slot), [&](Slot member) {
      if (belongs(member)) members.push_back(member);
    });
  }
  void state(StateArchive& archive) { archive(groups_, open_, arrived_); }

 private:
  ArrivalGroups groups_;
  std::uint32_t threshold_;
  ArrivalGroups::Group open_;
  std::uint32_t arrived_ = 0;  // in the open window, including those that have left it
};

}  // namespace flashloom
