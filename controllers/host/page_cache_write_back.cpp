// Write-back of the page cache: which pages, when, and with which neighbours.
#include <algorithm>

#include "controllers/host/page_cache.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kBackgroundDepth = 32;  // requests of the daemon under way

bool of_the_daemon(WriteBackCause cause) { return cause == WriteBackCause::Background || cause == WriteBackCause::Age; }

}  // namespace

// Writes dirty pages that are not being written already: neighbours together.
void PageCache::write_pages(std::vector<Slot>& slots, WriteBackCause cause) {
  std::sort(slots.begin(), slots.end(), [this](Slot a, Slot b) { return pages_[a].number < pages_[b].number; });
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());  // one request can evict a page twice
  for (std::size_t begin = 0; begin < slots.size();) {
    std::size_t end = begin + 1;
    while (end != slots.size() && end - begin < most_ && pages_[slots[end]].number == pages_[slots[end - 1]].number + 1)
      ++end;
    start_write(slots.data() + begin, end - begin, cause);
    begin = end;
  }
}

// A dirty page, and its dirty neighbours on both sides.
void PageCache::write_run_around(Slot slot, WriteBackCause cause) {
  const auto can_go = [this](std::uint32_t number) {
    const Slot found = pages_.find(number);
    return found != kNoSlot && pages_[found].dirty && !pages_[found].writing ? found : kNoSlot;
  };
  std::uint32_t first = pages_[slot].number;
  while (first != 0 && pages_[slot].number - first + 1 < most_ && can_go(first - 1) != kNoSlot) --first;
  batch_.clear();
  for (Slot next = can_go(first); next != kNoSlot && batch_.size() < most_; next = can_go(first))
    batch_.push_back(next), ++first;
  start_write(batch_.data(), batch_.size(), cause);
}

// Copies the pages' contents into the request, so that the host may write the pages again meanwhile.
void PageCache::start_write(const Slot* slots, std::size_t count, WriteBackCause cause) {
  PageTransfer& transfer = take_transfer(IoOperation::Write, static_cast<std::uint16_t>(queue_));
  queue_ = queue_ + 1 == shape_.queues ? 0 : queue_ + 1;
  transfer.cause = cause;
  transfer.order = ++last_write_;
  transfer.offset = begin_of(pages_[slots[0]].number);
  std::size_t sectors = 0;
  for (const Slot* slot = slots; slot != slots + count; ++slot) {
    CachedPage& page = pages_[*slot];
    const std::uint32_t bytes = bytes_of(page.number);
    if (shape_.oracle != nullptr) {
      transfer.contents.resize(std::max(transfer.contents.size(), sectors + bytes / shape_.sector_bytes));
      std::copy_n(pages_.tokens(*slot), bytes / shape_.sector_bytes, transfer.contents.data() + sectors);
      sectors += bytes / shape_.sector_bytes;
    }
    transfer.length += bytes;
    transfer.slots.push_back(*slot);
    page.writing = true;
    pages_.mark_clean(*slot);
  }
  if (shape_.oracle != nullptr) transfer.tokens = transfer.contents.data();
  writing_ += static_cast<std::uint32_t>(count);
  if (of_the_daemon(cause)) ++background_;
  statistics_.written_back[static_cast<std::size_t>(cause)] += count;
  ++statistics_.write_requests;
  writes_.push_back(transfer);
  runtime_.spawn([this, &transfer] { return write_back(transfer); });
}

Task<void> PageCache::write_back(PageTransfer& transfer) {
  while (!powered_) co_await power_.wait();
  const std::uint64_t epoch = epoch_;
  co_await Submission{*this, transfer};
  writes_.erase(writes_.iterator_to(transfer));
  writing_ -= static_cast<std::uint32_t>(transfer.slots.size());
  if (of_the_daemon(transfer.cause)) --background_;
  const bool lost = transfer.status == IoStatus::PowerLost || epoch != epoch_;
  if (!lost && transfer.status != IoStatus::Ok) {
    statistics_.write_errors += transfer.slots.size();
    error_ = transfer.status;
    if (shape_.oracle != nullptr) shape_.oracle->given_up(transfer);
  }
  batch_.clear();
  for (const Slot slot : transfer.slots) {
    CachedPage& page = pages_[slot];
    page.writing = false;
    if (lost)
      pages_.restore_dirty(slot);
    else if (!page.dirty && page.resident)
      pages_.cleaned(slot);
    if (pages_.settle(slot)) batch_.push_back(slot);
  }
  free_transfers_.push_back(&transfer);
  write_pages(batch_, WriteBackCause::Eviction);
  clean_in_background();
  written_.wake_all();
  room_.wake_all();
}

// Writes the pages that became dirty first, while too many are dirty.
void PageCache::clean_in_background() {
  if (pages_.dirty() < background_limit_ || !powered_) return;
  for (Slot slot = pages_.oldest_dirty();
       slot != kNoSlot && background_ < kBackgroundDepth && pages_.dirty() >= background_limit_;) {
    if (pages_[slot].writing) {
      slot = pages_[slot].newer;
      continue;
    }
    write_run_around(slot, WriteBackCause::Background);
    slot = pages_.oldest_dirty();
  }
}

// Looks now and then for pages that have been dirty for too long, as long as any page is dirty.
Task<void> PageCache::daemon() {
  while (pages_.dirty() != 0) {
    co_await Until(timers_, kernel_now() + config_.interval);
    for (Slot slot = pages_.oldest_dirty(); slot != kNoSlot && pages_[slot].dirtied + config_.age <= kernel_now();) {
      if (pages_[slot].writing || !powered_) {
        slot = pages_[slot].newer;
        continue;
      }
      write_run_around(slot, WriteBackCause::Age);
      slot = pages_.oldest_dirty();
    }
  }
  daemon_ = false;
}

// Returns when all pages that had become dirty by `order` are on the device.
Task<void> PageCache::write_all(std::uint64_t order, std::uint64_t epoch) {
  std::uint64_t last = last_write_;
  while (epoch == epoch_) {
    bool again = false;
    batch_.clear();
    for (Slot slot = pages_.oldest_dirty(); slot != kNoSlot && pages_[slot].order <= order; slot = pages_[slot].newer)
      if (pages_[slot].writing)
        again = true;
      else
        batch_.push_back(slot);
    if (!batch_.empty()) {
      write_pages(batch_, WriteBackCause::Flush);
      last = last_write_;
    }
    if (!again && (writes_.empty() || writes_.front().order > last)) co_return;
    co_await written_.wait();
  }
}

Task<void> PageCache::write_range(std::uint64_t begin, std::uint64_t end, std::uint64_t epoch) {
  bool busy = true;
  while (busy && epoch == epoch_) {
    busy = false;
    batch_.clear();
    pages_.each_in(begin, end, [&](Slot slot) {
      busy = busy || pages_[slot].dirty || pages_[slot].writing;
      if (pages_[slot].dirty && !pages_[slot].writing) batch_.push_back(slot);
    });
    write_pages(batch_, WriteBackCause::Flush);
    if (busy) co_await written_.wait();
  }
}

void PageCache::sync() {
  runtime_.spawn([this] { return write_all(pages_.last_order(), epoch_); });
}

}  // namespace flashloom
