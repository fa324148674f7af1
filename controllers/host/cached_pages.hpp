// The pages of the host's page cache: slots, look-up, the replacement policy, the order in which pages became dirty.
// It neither takes time nor issues requests: it tells its caller which pages must be written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/host/host_config.hpp"
#include "models/block/io_command.hpp"
#include "policies/replacement/page_table.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom {

struct PageTransfer;  // page_transfer.hpp

struct CachedPage {
  std::uint32_t number = 0;  ///< offset / page size
  std::uint32_t users = 0;   ///< requests that use it now
  bool resident = false;     ///< known to the policy; false: evicted, on its way out
  bool dirty = false;        ///< must be written back
  bool writing = false;      ///< a write-back of it is under way
  bool lost = false;         ///< could not be fetched
  bool ghost = false;        ///< on its way out: it was a ghost, and occupies a ghost's slot
  bool stale = false;        ///< to be dropped: the device may have lost the data that this page is a copy of
  std::uint64_t order = 0;   ///< when it became dirty: a count
  Picoseconds dirtied = 0;
  PageTransfer* fetch = nullptr;  ///< it is being read
  Slot older = kNoSlot;           ///< neighbours in the order of becoming dirty
  Slot newer = kNoSlot;
};

class CachedPages {
 public:
  struct Shape {
    std::uint32_t capacity = 0;  ///< pages
    std::uint32_t spare = 0;     ///< slots beyond the capacity, for pages on their way in and out
    bool shared_budget = true;   ///< false: ghosts that keep their data have `capacity` slots of their own
    std::uint32_t sectors = 0;   ///< tokens a page; 0: none are kept
  };
  /// `costs` (may be null) outlives it.
  CachedPages(const PolicyChoice& policy, const Shape& shape, const CostOracle* costs = nullptr);

  CachedPage& operator[](Slot slot) { return pages_[slot]; }
  const CachedPage& operator[](Slot slot) const { return pages_[slot]; }
  SectorToken* tokens(Slot slot) { return tokens_.data() + std::size_t{slot} * sectors_; }
  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(pages_.size()); }
  /// Slots free for incoming pages. Unused slots of ghosts are not among them: they must not lengthen the queue to the
  /// device.
  std::uint32_t free_slots() const {
    const auto free = static_cast<std::uint32_t>(free_.size());
    if (!own_room_) return free;
    const std::uint32_t ghosts = policy_->kept_ghosts() + leaving_ghosts_;
    const std::uint32_t reserved = ghosts < capacity_ ? capacity_ - ghosts : 0;
    return free > reserved ? free - reserved : 0;
  }
  std::uint32_t resident() const { return resident_; }
  std::uint32_t dirty() const { return dirty_; }
  /// The page that became dirty first; kNoSlot if none is.
  Slot oldest_dirty() const { return oldest_; }
  std::uint64_t last_order() const { return order_; }

  /// kNoSlot if it is not here.
  Slot find(std::uint32_t number) const { return table_.find(number); }

  /// Calls `visit` with the slot of each cached page in [begin, end).
  template <class Visit>
  void each_in(std::uint64_t begin, std::uint64_t end, Visit visit) {
    if (end - begin < pages_.size()) {
      for (std::uint64_t number = begin; number != end; ++number)
        if (const Slot slot = find(static_cast<std::uint32_t>(number)); slot != kNoSlot) visit(slot);
      return;
    }
    for (Slot slot = 0; slot != slots(); ++slot)
      if (pages_[slot].number >= begin && pages_[slot].number < end && find(pages_[slot].number) == slot) visit(slot);
  }

  /// Whether a resident page is a ghost that keeps its data beside the capacity.
  bool kept_ghost(Slot slot) const { return own_room_ && policy_->kept_ghost(slot); }
  /// A resident page is referenced. Appends the pages that are evicted for it to `left`.
  void reference(Slot slot, Access access, std::vector<Slot>& left) {
    policy_->referenced(slot, access);
    if (own_room_) let_go(left);
  }
  /// Makes a page resident: one on its way out (`slot`), or a new one in a free slot (kNoSlot). Appends the pages that
  /// are evicted for it to `left`.
  Slot take_in(std::uint32_t number, Slot slot, Access access, std::vector<Slot>& left);
  void mark_dirty(Slot slot, Picoseconds now);
  /// A write-back of the page begins: it counts as clean here, and for the policy as dirty until cleaned().
  void mark_clean(Slot slot);
  /// A write-back failed: dirty again, and first to be written.
  void restore_dirty(Slot slot);
  /// Its write-back has ended. To be followed by settle(), since the page may be evicted.
  void cleaned(Slot slot) {
    policy_->cleaned(slot);
    if (!own_room_) return;
    leaving_.clear();
    let_go(leaving_);
  }
  /// Removes a clean page from policy and look-up: it was discarded, could not be read, or may be wrong.
  void forget(Slot slot);
  /// The policy drops its history of the pages in [begin, end), none of which is cached.
  void discarded(std::uint64_t begin, std::uint64_t end) { policy_->discarded(begin, end); }
  /// To be called when a page may have become free. True: it is dirty, on its way out, and must be written now.
  bool settle(Slot slot);

 private:
  void let_go(std::vector<Slot>& left);
  void no_ghost(Slot slot);
  void link(Slot slot, Slot newer);
  void unlink(Slot slot);

  std::uint32_t capacity_;
  std::uint32_t sectors_;
  std::unique_ptr<ReplacementPolicy> policy_;
  bool own_room_;  // ghosts that keep their data have slots beside the capacity
  std::vector<CachedPage> pages_;
  std::vector<SectorToken> tokens_;
  PageTable table_;
  std::vector<Slot> free_;
  std::vector<Slot> leaving_;  // of one take_in()
  std::uint32_t resident_ = 0;
  std::uint32_t leaving_ghosts_ = 0;
  std::uint32_t dirty_ = 0;
  Slot oldest_ = kNoSlot;
  Slot newest_ = kNoSlot;
  std::uint64_t order_ = 0;
};

}  // namespace flashloom
