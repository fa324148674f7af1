// The pages of the heap that are in NVM: frames, look-up, the replacement policy. Volatile; it neither takes time nor
// issues requests: it tells its caller which pages are evicted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/heap/heap_layout.hpp"
#include "policies/replacement/page_table.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// A page in NVM: resident (known to the policy), or on its way in or out.
struct HeapPage {
  std::uint32_t number = kNone;  ///< of the heap's address space
  std::uint32_t frame = kNone;   ///< none until its first contents are there
  std::uint32_t slot = kNone;    ///< of the swap area, with the same contents: the page is clean
  std::uint32_t users = 0;       ///< operations that use it now
  bool resident = false;
  bool dirty = false;    ///< its page table entry names the frame
  bool loading = false;  ///< its contents are being read
  bool writing = false;  ///< is being swapped out, from `source`
  bool dropped = false;  ///< was deleted; the place waits for its write
  bool ahead = false;    ///< read ahead, not referenced yet
  std::uint32_t source = kNone;

  /// The page is neither resident nor used, loaded or written: its place can be freed.
  bool over() const { return !resident && users == 0 && !loading && !writing; }
};

class HeapPages {
 public:
  /// The policy gets the layout's frames except `config.in_flight` of them. `mapped` outlives it.
  HeapPages(const HeapConfig& config, const HeapLayout& layout, const MappedView& mapped);

  HeapPage& operator[](Slot slot) { return places_[slot]; }
  const HeapPage& operator[](Slot slot) const { return places_[slot]; }
  std::uint32_t places() const { return static_cast<std::uint32_t>(places_.size()); }
  /// Pages that may be resident, if no frames are held.
  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t resident() const { return resident_; }
  Slot find(std::uint32_t page) const { return table_.find(page); }

  std::uint32_t free_frames() const { return static_cast<std::uint32_t>(free_frames_.size()); }
  /// Needs a free frame.
  std::uint32_t take_frame() {
    const std::uint32_t frame = free_frames_.back();
    free_frames_.pop_back();
    return frame;
  }
  void give_frame(std::uint32_t frame) {
    if (frame != kNone) free_frames_.push_back(frame);
  }
  /// Recovery: these frames are in use.
  void claim_frames(const std::vector<bool>& used);

  /// A place for a page that has none.
  Slot enter(std::uint32_t page);
  /// The page becomes resident. Appends the pages that are evicted for it, a cluster at a time, to `left`.
  void admit(Slot slot, Access access, std::vector<Slot>& left);
  void reference(Slot slot, Access access) { policy_->referenced(slot, access); }
  void cleaned(Slot slot) { policy_->cleaned(slot); }
  void remapped(std::uint32_t page);
  bool follows_mappings() const { return policy_->traits().mappings; }
  /// Reserves frames for updates that are not committed. Appends the pages that are evicted for them to `left`.
  void hold(std::uint32_t frames, std::vector<Slot>& left);
  void release(std::uint32_t frames) { held_ -= frames; }
  /// Its object was deleted: removes the page from policy and look-up.
  void drop(Slot slot);
  /// Frees the place. The frame of its page belongs to the caller from now on.
  void leave(Slot slot);

 private:
  void make_room(std::uint32_t pages, std::vector<Slot>& left);

  std::uint32_t capacity_;
  std::uint32_t cluster_;
  std::unique_ptr<ReplacementPolicy> policy_;
  std::vector<HeapPage> places_;
  PageTable table_;
  std::vector<Slot> free_places_;
  std::vector<std::uint32_t> free_frames_;
  std::vector<Slot> leaving_;  // of one victim
  std::uint32_t resident_ = 0;
  std::uint32_t held_ = 0;
};

}  // namespace flashloom
