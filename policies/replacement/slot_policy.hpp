// The ReplacementPolicy of a policy core: the owner keeps the pages in slots, and looks them up.
#pragma once

#include <cassert>
#include <memory>

#include "policies/replacement/page_table.hpp"
#include "policies/replacement/policy_core.hpp"

namespace flashloom {

template <class Core>
class SlotPolicy final : public ReplacementPolicy {
 public:
  SlotPolicy(const ReplacementContext& context, const ParameterValues& values)
      : ReplacementPolicy({.ghosts = Core::kGhosts,
                           .companions = kCompanions,
                           .mappings = kMappings,
                           .in_order = Core::kInOrder,
                           .own_room = kKeepsGhosts && !context.shared_budget}),
        core_(context, values),
        clean_(kOwnClean ? 0 : context.slot_count()) {
    if constexpr (Core::kGhosts) {
      entry_of_.assign(context.slot_count(), kNoPage);
      slot_of_.assign(core_.pages().pages(), kNoSlot);
      ghosts_ = PageTable(core_.pages().pages());
    }
  }

  void expected(std::uint64_t page, Access access) override {
    if (expecting_ && expected_ == page) return;
    expected_ = page;
    expecting_ = true;
    core_.miss(find_ghost(page), access);
    collect_gone();
  }
  void inserted(Slot slot, std::uint64_t page, Access access) override {
    assert(page < PageEntry::kNoTag);
    if constexpr (Core::kGhosts) {
      expected(page, access);
      expecting_ = false;
    }
    const PageIndex entry = take_entry(slot, page);
    core_.pages()[entry].tag = static_cast<std::uint32_t>(page);
    core_.pages()[entry].dirty = access == Access::Write;
    core_.insert(entry, access);
    if (!kOwnClean && access == Access::Read) clean_.push_front(0, slot);
  }
  void referenced(Slot slot, Access access) override {
    const PageIndex entry = entry_of(slot);
    core_.hit(entry, access);
    collect_gone();
    if (access == Access::Write) core_.pages()[entry].dirty = true;
    if (kOwnClean || clean_[slot].list != 0) return;
    if (access == Access::Read)
      clean_.move_to_front(0, slot);
    else
      clean_.detach(slot);
  }
  void cleaned(Slot slot) override {
    const PageIndex entry = entry_of(slot);
    if (!core_.pages()[entry].dirty) return;
    core_.cleaned(entry);
    core_.pages()[entry].dirty = false;
    if (!kOwnClean) clean_.push_front(0, slot);
    collect_gone();
  }
  void remapped(Slot slot) override {
    if constexpr (kMappings) core_.remapped(entry_of(slot));
  }
  Slot victim() override {
    const PageIndex entry = core_.victim();
    return entry == kNoPage ? kNoSlot : slot_of(entry);
  }
  Slot clean_victim() override {
    if constexpr (kOwnClean) {
      const PageIndex entry = core_.clean_victim();
      return entry == kNoPage ? kNoSlot : slot_of(entry);
    } else {
      const PageIndex entry = core_.victim();
      return entry != kNoPage && !core_.pages()[entry].dirty ? slot_of(entry) : clean_.back(0);
    }
  }
  void companions(Slot victim, std::vector<Slot>& slots) override {
    if constexpr (kCompanions) {
      const std::size_t first = slots.size();
      core_.companions(entry_of(victim), slots);
      for (std::size_t i = first; i < slots.size(); ++i) slots[i] = slot_of(slots[i]);
    }
  }
  void removed(Slot slot) override {
    const PageIndex entry = leave(slot);
    [[maybe_unused]] const std::uint32_t page = core_.pages()[entry].tag;
    core_.evict(entry);
    if constexpr (Core::kGhosts)
      if (core_.ghost(entry)) ghosts_.put(page, entry);
  }
  void dropped(Slot slot) override { core_.remove(leave(slot)); }
  void discarded(std::uint64_t begin, std::uint64_t end) override {
    if constexpr (Core::kGhosts) {
      if (end - begin < core_.pages().pages()) {
        for (std::uint64_t page = begin; page != end; ++page)
          if (const PageIndex entry = find_ghost(page); entry != kNoPage) core_.remove(entry);
        return;
      }
      for (PageIndex entry = 0; entry < core_.pages().pages(); ++entry)
        if (core_.ghost(entry) && core_.pages()[entry].tag >= begin && core_.pages()[entry].tag < end)
          core_.remove(entry);
    }
  }
  void gone(std::vector<Slot>& slots) override {
    slots.insert(slots.end(), gone_.begin(), gone_.end());
    gone_.clear();
  }
  bool kept_ghost(Slot slot) const override {
    return kKeepsGhosts && core_.pages()[entry_of(slot)].list >= Core::kReal;
  }
  std::uint32_t kept_ghosts() const override {
    std::uint32_t sum = 0;
    for (std::uint8_t list = Core::kReal; list < Core::kResident; ++list) sum += core_.pages().size(list);
    return sum;
  }

  void state(StateArchive& archive) override {
    core_.state(archive);
    if (!kOwnClean) clean_.state(archive);
    archive(expected_, expecting_);
    if constexpr (Core::kGhosts) {
      archive(entry_of_, slot_of_);
      if (archive.loading())
        for (PageIndex entry = 0; entry < core_.pages().pages(); ++entry)
          if (core_.ghost(entry)) ghosts_.put(core_.pages()[entry].tag, entry);
    }
  }

 private:
  /// The policy chooses the clean victim itself; otherwise it is the policy's victim if clean, else the least recently
  /// used clean page.
  static constexpr bool kOwnClean = requires(Core & core) { core.clean_victim(); };
  static constexpr bool kCompanions = requires(Core & core, std::vector<Slot>& slots) {
    core.companions(PageIndex{}, slots);
  };

  static constexpr bool kKeepsGhosts = Core::kReal != Core::kResident;
  static constexpr bool kMappings = requires(Core & core) { core.remapped(PageIndex{}); };

  // Without ghosts, an entry's index is its slot.
  PageIndex entry_of(Slot slot) const {
    if constexpr (Core::kGhosts)
      return entry_of_[slot];
    else
      return slot;
  }
  Slot slot_of(PageIndex entry) const {
    if constexpr (Core::kGhosts)
      return slot_of_[entry];
    else
      return entry;
  }
  PageIndex find_ghost([[maybe_unused]] std::uint64_t page) {
    if constexpr (Core::kGhosts) {
      const PageIndex entry = ghosts_.find(static_cast<std::uint32_t>(page));
      // The policy may have dropped the ghost since, and reused its entry for another page.
      return entry != kNoPage && core_.ghost(entry) && core_.pages()[entry].tag == page ? entry : kNoPage;
    } else {
      return kNoPage;
    }
  }
  PageIndex take_entry(Slot slot, [[maybe_unused]] std::uint64_t page) {
    if constexpr (Core::kGhosts) {
      PageIndex entry = core_.entering();
      if (entry == kNoPage)
        entry = core_.pages().allocate();
      else
        ghosts_.erase(static_cast<std::uint32_t>(page));
      entry_of_[slot] = entry;
      slot_of_[entry] = slot;
      return entry;
    } else {
      return slot;
    }
  }
  PageIndex leave(Slot slot) {
    const PageIndex entry = entry_of(slot);
    if (!kOwnClean && clean_[slot].list == 0) clean_.detach(slot);
    if constexpr (Core::kGhosts) {
      slot_of_[entry] = kNoSlot;
      entry_of_[slot] = kNoPage;
    }
    return entry;
  }

  // Frees the slots of pages that the core has evicted.
  void collect_gone() {
    if constexpr (kKeepsGhosts) {
      for (const GoneEntry& gone : core_.gone()) {
        const Slot slot = slot_of_[gone.entry];
        leave(slot);
        if (core_.ghost(gone.entry)) ghosts_.put(gone.page, gone.entry);
        gone_.push_back(slot);
      }
      core_.gone().clear();
    }
  }

  Core core_;
  PageLists<PageEntry, 1> clean_;  // slots of clean pages, most recently used first
  std::uint64_t expected_ = 0;
  bool expecting_ = false;
  // Used only with ghosts.
  std::vector<PageIndex> entry_of_;  // by slot
  std::vector<Slot> slot_of_;        // by entry
  PageTable ghosts_;                 // by page
  std::vector<Slot> gone_;           // slots freed but not yet reported by gone()
};

}  // namespace flashloom
