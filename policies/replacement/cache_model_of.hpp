// The CacheModel of a policy core: everything inline, no virtual call a reference.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "policies/replacement/cache_model.hpp"

namespace flashloom {

/// Positions in the trace of the next reference, and of the next write or discard, of each reference's page; kNever if
/// there is none. A page whose next event is a discard has no next reference.
struct Future {
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  std::vector<std::uint32_t> next_reference;
  std::vector<std::uint32_t> next_write;

  Future(std::span<const PageReference> references, std::uint32_t pages);
};

/// Counts what a cache writes, and where. The home tables are as large as the footprint, so the last few pages wait
/// until their prefetched entries have arrived from memory.
class WriteCounter {
 public:
  explicit WriteCounter(const PageDirectory& directory);
  void written(std::uint32_t page, CacheCounts& counts) {
    if (!directory_.addresses.empty()) __builtin_prefetch(&directory_.addresses[page]);
    if (!directory_.blocks.empty()) __builtin_prefetch(&directory_.blocks[page]);
    std::uint32_t& place = waiting_[written_++ % kWaiting];
    if (written_ > kWaiting) count(place, counts);
    place = page;
  }
  /// Counts the pages that still wait.
  void settle(CacheCounts& counts) {
    const std::uint64_t begin = written_ > kWaiting ? written_ - kWaiting : 0;
    for (std::uint64_t i = begin; i != written_; ++i) count(waiting_[i % kWaiting], counts);
    written_ = 0;
  }

 private:
  static constexpr std::uint32_t kDefaultBlock = 64;
  static constexpr std::uint64_t kWaiting = 16;

  void count(std::uint32_t page, CacheCounts& counts) {
    const std::uint64_t address = directory_.addresses.empty() ? page : directory_.addresses[page];
    const std::uint32_t block =
        directory_.blocks.empty() ? static_cast<std::uint32_t>(page / kDefaultBlock) : directory_.blocks[page];
    counts.write_runs += counts.pages_written++ == 0 || address != last_address_ + 1 ? 1 : 0;
    counts.block_changes += block != last_block_ ? 1 : 0;
    last_address_ = address;
    last_block_ = block;
    if (!touched_[block]) {
      touched_[block] = true;
      ++counts.blocks_written;
    }
  }

  PageDirectory directory_;
  std::array<std::uint32_t, kWaiting> waiting_{};
  std::uint64_t written_ = 0;  // since they were settled
  std::uint64_t last_address_ = 0;
  std::uint32_t last_block_ = ~std::uint32_t{0};
  std::vector<bool> touched_;
};

/// Pages stored below the cache in an untimed model: those read from there or written back.
class StoredPages final : public CostOracle {
 public:
  explicit StoredPages(std::uint32_t pages) : stored_(pages) {}
  void stored(std::uint32_t page) { stored_[page] = true; }
  bool overwrites(std::uint64_t page) const override { return stored_[page]; }

 private:
  std::vector<bool> stored_;
};

template <class Core>
class CacheModelOf final : public CacheModel {
 public:
  CacheModelOf(const CacheModelContext& context, const ParameterValues& values)
      : stored_(Core::kAsksCost ? context.directory.pages : 0),
        core_(completed(context), values),
        capacity_(context.policy.capacity),
        entry_of_(context.directory.pages, context.policy.memory),
        writes_(context.directory) {
    if constexpr (Core::kOffline) future_ = std::make_unique<Future>(context.future, context.directory.pages);
  }

  void run(std::span<const PageReference> references, std::span<const std::uint32_t> bytes) override {
    run_all(references, bytes);
    writes_.settle(counts_);
  }
  Found reference(PageReference reference) override {
    gone_.clear();
    watched_ = true;
    const Found found = step(reference);
    writes_.settle(counts_);
    watched_ = false;
    return found;
  }
  const std::vector<GonePage>& gone() const override { return gone_; }

  void time_room(RoomTimer* timer) override { timer_ = timer; }
  CacheCounts counts() const override {
    CacheCounts counts = counts_;
    for (std::uint8_t list = 0; list < Core::kResident; ++list)
      for (PageIndex page = lists().front(list); page != kNoPage; page = lists().after(page))
        counts.dirty_at_end += lists()[page].dirty ? 1 : 0;
    return counts;
  }
  PolicyPicture picture() const override {
    PolicyPicture picture;
    core_.describe(picture);
    return picture;
  }
  std::size_t policy_bytes() const override { return core_.bytes(); }
  std::size_t lookup_bytes() const override { return entry_of_.size() * sizeof(PageIndex); }
  std::size_t policy_entries() const override { return lists().pages(); }

 private:
  const typename Core::Lists& lists() const { return core_.pages(); }
  ReplacementContext completed(const CacheModelContext& context) const {
    ReplacementContext policy = context.policy;
    policy.footprint = context.directory.pages;
    if (policy.oracle == nullptr) policy.oracle = &stored_;
    return policy;
  }
  template <std::uint8_t kFirst, std::uint8_t kEnd>
  std::uint32_t pages_in() const {
    std::uint32_t sum = 0;
    for (std::uint8_t list = kFirst; list < kEnd; ++list) sum += lists().size(list);
    return sum;
  }

  void run_all(std::span<const PageReference> references, std::span<const std::uint32_t> bytes) {
    constexpr std::size_t kLookUpAhead = 32;
    constexpr std::size_t kEntryAhead = 20;
    constexpr std::size_t kNeighboursAhead = 8;
    const std::size_t n = references.size();
    const std::size_t ahead = n > kLookUpAhead ? n - kLookUpAhead : 0;
    std::size_t i = 0;
    if (bytes.empty()) {
      for (; i < ahead; ++i) {
        __builtin_prefetch(&entry_of_[references[i + kLookUpAhead].page()]);
        core_.pages().prefetch(entry_of_[references[i + kEntryAhead].page()]);
        core_.pages().prefetch_neighbours(entry_of_[references[i + kNeighboursAhead].page()]);
        step(references[i]);
      }
      for (; i < n; ++i) step(references[i]);
      return;
    }
    for (; i < n; ++i) {
      const Found found = step(references[i]);
      if (references[i].discard()) continue;
      counts_.bytes[references[i].write()] += bytes[i];
      if (found == Found::Resident || found == Found::DirtyGhost) counts_.hit_bytes[references[i].write()] += bytes[i];
    }
  }

  Found step(PageReference reference) {
    const std::uint32_t page = reference.page();
    // A released or reused entry no longer has this page's tag.
    PageIndex entry = entry_of_[page];
    if (core_.pages()[entry].tag != page) entry = kNoPage;
    if constexpr (Core::kOffline) {
      core_.foresee(future_->next_reference[position_], future_->next_write[position_]);
      ++position_;
    }
    if (reference.discard()) {
      discard(entry);
      return Found::Miss;
    }
    const Access access = reference.write() ? Access::Write : Access::Read;
    ++counts_.references[reference.write()];
    if (entry != kNoPage && core_.resident(entry)) return hit(entry, access);
    return miss(entry, page, access);
  }

  Found hit(PageIndex entry, Access access) {
    const bool write = access == Access::Write;
    Found found = Found::Resident;
    if (Core::kReal != Core::kResident && core_.pages()[entry].list >= Core::kReal) {
      found = Found::DirtyGhost;
      ++counts_.dirty_ghost_hits[write];
    } else {
      ++counts_.hits[write];
    }
    core_.hit(entry, access);
    core_.pages()[entry].dirty |= write;
    if constexpr (Core::kReal != Core::kResident) {
      account();
      watch_sizes();
    }
    return found;
  }

  Found miss(PageIndex entry, std::uint32_t page, Access access) {
    const bool write = access == Access::Write;
    const Found found = entry == kNoPage ? Found::Miss : Found::CleanGhost;
    if (found == Found::CleanGhost) ++counts_.clean_ghost_hits[write];
    if (Core::kAsksCost && !write) stored_.stored(page);
    if (timer_ == nullptr) [[likely]] {
      make_room(entry, access);
    } else {
      const bool full = pages_in<0, Core::kReal>() >= capacity_;
      const auto begin = RoomTimer::Clock::now();
      make_room(entry, access);
      if (full) timer_->add(begin);
    }
    if (!core_.admits()) {
      if (write) leave(page, true);
      return found;
    }
    if (entry == kNoPage) entry = core_.pages().allocate();
    typename Core::Entry& taken = core_.pages()[entry];
    taken.tag = page;
    taken.dirty = write;
    entry_of_[page] = entry;
    core_.insert(entry, access);
    watch_sizes();
    return found;
  }

  void make_room(PageIndex ghost, Access access) {
    core_.miss(ghost, access);
    if (core_.own_room()) {
      account();
    } else if (core_.admits()) {
      while (pages_in<0, Core::kResident>() >= capacity_) evict();
    }
  }

  void evict() {
    const PageIndex victim = core_.victim();
    const auto& entry = core_.pages()[victim];
    leave(entry.tag, entry.dirty);
    if constexpr (requires { core_.companions(victim, together_); }) {
      together_.clear();
      core_.companions(victim, together_);
      for (const PageIndex page : together_) {
        leave(core_.pages()[page].tag, core_.pages()[page].dirty);
        core_.evict(page);
      }
    }
    const PageIndex next = core_.pages().before(victim);
    core_.evict(victim);
    // The next likely victim and its neighbours were referenced long ago, so only a prefetch brings them into the
    // cache.
    if (next != kNoPage) core_.pages().prefetch_neighbours(next);
  }

  // Reports the pages evicted by a policy that evicts by itself.
  void account() {
    if constexpr (requires { core_.gone(); }) {
      for (const GonePage& gone : core_.gone()) leave(gone.page, gone.written);
      core_.gone().clear();
    }
  }

  void leave(std::uint32_t page, bool written) {
    if (written) {
      ++counts_.dirty_evictions;
      if (Core::kAsksCost) stored_.stored(page);
      writes_.written(page, counts_);
    } else {
      ++counts_.clean_evictions;
    }
    if (watched_) gone_.push_back({page, written});
  }

  void discard(PageIndex entry) {
    if (entry == kNoPage) return;
    if (core_.resident(entry) && core_.pages()[entry].dirty) ++counts_.dirty_discarded;
    core_.remove(entry);
  }

  void watch_sizes() {
    const std::uint32_t real = pages_in<0, Core::kReal>();
    const std::uint32_t resident = real + pages_in<Core::kReal, Core::kResident>();
    counts_.real_pages_max = std::max<std::uint64_t>(counts_.real_pages_max, real);
    counts_.resident_pages_max = std::max<std::uint64_t>(counts_.resident_pages_max, resident);
    counts_.entries_max =
        std::max<std::uint64_t>(counts_.entries_max, resident + pages_in<Core::kResident, Core::kLists>());
  }

  StoredPages stored_;
  Core core_;
  std::uint32_t capacity_;
  std::pmr::vector<PageIndex> entry_of_;  // by page; valid only if the entry's tag matches
  WriteCounter writes_;
  CacheCounts counts_;
  std::unique_ptr<Future> future_;
  std::size_t position_ = 0;
  std::vector<PageIndex> together_;
  std::vector<GonePage> gone_;
  bool watched_ = false;
  RoomTimer* timer_ = nullptr;
};

}  // namespace flashloom
