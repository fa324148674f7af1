// The pages of the host's page cache: places, look-up, the replacement policy, the order in which pages became dirty.
// It knows no time and issues nothing: it says what must be written.
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
  bool resident = false;     ///< known to the policy. Others are on their way out
  bool dirty = false;        ///< must be written back
  bool writing = false;      ///< a write-back of it is under way
  bool lost = false;         ///< could not be fetched
  bool stale = false;        ///< to be forgotten: the device may have lost what this page is a copy of
  std::uint64_t order = 0;   ///< when it became dirty: a count
  Picoseconds dirtied = 0;
  PageTransfer* fetch = nullptr;  ///< it is being read
  Slot older = kNoSlot;           ///< neighbours in the order of becoming dirty
  Slot newer = kNoSlot;
};

class CachedPages {
 public:
  /// `spare`: places beyond the capacity, for pages on their way in and out. `sectors`: tokens a page; 0: none are
  /// kept. `costs` (may be null) outlives it.
  CachedPages(const PolicyChoice& policy, std::uint32_t capacity, std::uint32_t spare, std::uint32_t sectors,
              const CostOracle* costs = nullptr);

  CachedPage& operator[](Slot slot) { return pages_[slot]; }
  const CachedPage& operator[](Slot slot) const { return pages_[slot]; }
  SectorToken* tokens(Slot slot) { return tokens_.data() + std::size_t{slot} * sectors_; }
  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(pages_.size()); }
  std::uint32_t free_slots() const { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t resident() const { return resident_; }
  std::uint32_t dirty() const { return dirty_; }
  /// The page that became dirty first; kNoSlot if none is.
  Slot oldest_dirty() const { return oldest_; }
  std::uint64_t last_order() const { return order_; }

  /// kNoSlot if it is not here.
  Slot find(std::uint32_t number) const { return table_.find(number); }

  /// Calls `visit` with each page that is here of those from `begin` to before `end`.
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

  /// A page that is here and resident is referenced.
  void reference(Slot slot, Access access) { policy_->referenced(slot, access); }
  /// Takes a page that is not resident in: one that is on its way out (`slot`), or in a free place (kNoSlot). Pages
  /// that leave for it are appended to `left`.
  Slot take_in(std::uint32_t number, Slot slot, Access access, std::vector<Slot>& left);
  void mark_dirty(Slot slot, Picoseconds now);
  /// Was written back, or is about to be: clean for the cache, though the policy takes it for dirty until cleaned().
  void mark_clean(Slot slot);
  /// A write-back failed: dirty again, and first to be written.
  void restore_dirty(Slot slot);
  void cleaned(Slot slot) { policy_->cleaned(slot); }
  /// Out of the policy and the look-up: its page was discarded, could not be read, or may be wrong. It must be clean.
  void forget(Slot slot);
  /// To be called when a page may have become free. True: it is dirty, on its way out, and must be written now.
  bool settle(Slot slot);

 private:
  void link(Slot slot, Slot newer);
  void unlink(Slot slot);

  std::uint32_t capacity_;
  std::uint32_t sectors_;
  std::unique_ptr<ReplacementPolicy> policy_;
  std::vector<CachedPage> pages_;
  std::vector<SectorToken> tokens_;
  PageTable table_;
  std::vector<Slot> free_;
  std::vector<Slot> leaving_;  // of one take_in()
  std::uint32_t resident_ = 0;
  std::uint32_t dirty_ = 0;
  Slot oldest_ = kNoSlot;
  Slot newest_ = kNoSlot;
  std::uint64_t order_ = 0;
};

}  // namespace flashloom
