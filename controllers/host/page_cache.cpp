#include "controllers/host/page_cache.hpp"

#include <algorithm>
#include <utility>

#include "controllers/runtime/until.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kChunkPages = 64;  // of a request, at most: host.cache.in_flight has at least so many

// Number of pages of the share; a share of all pages means no limit.
std::uint32_t limit_of(std::uint32_t pages, double share) {
  if (share >= 1) return ~std::uint32_t{0};
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(share * pages));
}

std::uint32_t pages_of(const HostCacheConfig& config) { return static_cast<std::uint32_t>(config.size / config.page); }

}  // namespace

// A part of a host's request that is being carried out.
struct PageCache::Request {
  std::vector<Slot> waiting;  // its pages that are being read; the request is among their users
  std::vector<Slot> missing;  // of those, the ones that it reads
  std::vector<PageTransfer*> fetches;
};

void PageCache::Submission::await_suspend(std::coroutine_handle<> waiter) const {
  transfer.waiter = waiter;
  transfer.runtime = &Runtime::current();
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  (*cache.initiators_[transfer.queue])->nb_transport_fw(transfer, phase, delay);
}

bool PageCache::WriteCosts::overwrites(std::uint64_t page) const {
  IoCommand write;
  write.operation = IoOperation::Write;
  write.offset = cache_.begin_of(page);
  write.length = cache_.bytes_of(page);
  return (*cache_.initiators_[0])->transport_dbg(write) == 0;
}

PageCache::PageCache(const sc_core::sc_module_name& name, const HostCacheConfig& config, const Shape& shape)
    : sc_module(name),
      config_(config),
      shape_(shape),
      page_bytes_(config.page),
      page_sectors_(config.page / shape.sector_bytes),
      chunk_(std::min(pages_of(config), kChunkPages)),
      most_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(config.request / config.page))),
      background_limit_(limit_of(pages_of(config), config.dirty_background)),
      hard_limit_(limit_of(pages_of(config), config.dirty_hard)),
      pages_(config.replacement,
             {.capacity = pages_of(config),
              .spare = config.in_flight,
              .shared_budget = config.memory == "equal",
              .sectors = shape.oracle != nullptr ? page_sectors_ : 0},
             &costs_),
      timers_("timers") {
  for (std::uint32_t queue = 0; queue < shape.queues; ++queue) {
    targets_.push_back(std::make_unique<BlockTargetSocket>(("target" + std::to_string(queue)).c_str()));
    targets_.back()->bind(*this);
    initiators_.push_back(std::make_unique<BlockInitiatorSocket>(("initiator" + std::to_string(queue)).c_str()));
    initiators_.back()->bind(*this);
  }
}

PageCache::~PageCache() {
  runtime_.destroy_frames();
  writes_.clear();
}

tlm::tlm_sync_enum PageCache::nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time&) {
  phase = tlm::END_REQ;
  runtime_.spawn([this, &command] { return serve(command); });
  return tlm::TLM_UPDATED;
}

void PageCache::b_transport(IoCommand&, sc_core::sc_time&) {
  SC_REPORT_FATAL("block socket", "blocking transport is not offered: use nb_transport_fw");
}

tlm::tlm_sync_enum PageCache::nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  auto& transfer = static_cast<PageTransfer&>(command);
  if (phase == tlm::END_REQ) {
    transfer.at.accepted = kernel_now() + delay.value();
    return tlm::TLM_ACCEPTED;
  }
  timers_.schedule(transfer, kernel_now() + delay.value());
  return tlm::TLM_COMPLETED;
}

PageTransfer& PageCache::take_transfer(IoOperation operation, std::uint16_t queue) {
  if (free_transfers_.empty()) free_transfers_.push_back(&transfers_.emplace_back());
  PageTransfer& transfer = *free_transfers_.back();
  free_transfers_.pop_back();
  static_cast<IoCommand&>(transfer) = {};
  transfer.operation = operation;
  transfer.queue = queue;
  transfer.at.arrival = transfer.at.submit = kernel_now();
  transfer.breakdown.begin(kernel_now());
  transfer.slots.clear();
  return transfer;
}

PageCache::Request& PageCache::take_request() {
  if (free_requests_.empty()) free_requests_.push_back(&requests_.emplace_back());
  Request& request = *free_requests_.back();
  free_requests_.pop_back();
  return request;
}

Task<void> PageCache::serve(IoCommand& command) {
  const std::uint64_t epoch = epoch_;
  command.status = IoStatus::Ok;
  if (config_.latency != 0) co_await Until(timers_, kernel_now() + config_.latency);
  while (exclusive_ && epoch == epoch_) co_await turn_.wait();
  if (!powered_ || epoch != epoch_) {
    command.status = IoStatus::PowerLost;
  } else if (command.operation == IoOperation::Trim) {
    exclusive_ = true;
    while (active_ != 0 && epoch == epoch_) co_await turn_.wait();
    co_await trim(command, epoch);
    exclusive_ = false;
  } else {
    ++active_;
    if (command.operation == IoOperation::Flush)
      co_await flush(command, epoch);
    else if (command.length != 0)
      co_await transfer_data(command, epoch);
    --active_;
  }
  turn_.wake_all();
  command.breakdown.attribute(LatencyPart::Host, kernel_now());
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  (*targets_[command.queue])->nb_transport_bw(command, phase, delay);
}

Task<void> PageCache::transfer_data(IoCommand& command, std::uint64_t epoch) {
  const std::uint64_t end = (command.offset + command.length - 1) / page_bytes_ + 1;
  Request& request = take_request();
  std::uint32_t pages = 0;
  for (std::uint64_t page = command.offset / page_bytes_; page < end && command.status == IoStatus::Ok; page += pages) {
    pages = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - page, chunk_));
    co_await wait_for_room(command, pages, epoch);
    // A waiter resumes through the run queue, after other requests: check again.
    while (epoch == epoch_ && pages_.free_slots() < pages) co_await wait_for_room(command, pages, epoch);
    if (epoch != epoch_) {
      command.status = IoStatus::PowerLost;
      break;
    }
    decide(command, request, page, pages);
    for (const Slot slot : request.waiting) {
      while (pages_[slot].fetch != nullptr) co_await pages_[slot].fetch->done.wait();
      if (pages_[slot].lost)
        command.status = epoch == epoch_ ? IoStatus::MediaError : IoStatus::PowerLost;
      else
        copy(command, slot);
    }
    finish(command, request);
  }
  free_requests_.push_back(&request);
  if (!command.fua || command.operation != IoOperation::Write || command.status != IoStatus::Ok) co_return;
  co_await write_range(command.offset / page_bytes_, end, epoch);
  co_await pass_on(command, IoOperation::Flush, epoch);
}

Task<void> PageCache::wait_for_room(IoCommand& command, std::uint32_t pages, std::uint64_t epoch) {
  const Picoseconds begin = kernel_now();
  if (command.operation == IoOperation::Write && unwritten() >= hard_limit_) {
    ++statistics_.throttled_writes;
    while (epoch == epoch_ && unwritten() >= hard_limit_) {
      clean_in_background();
      co_await written_.wait();
    }
    statistics_.throttled_time += kernel_now() - begin;
  }
  if (pages_.free_slots() >= pages) co_return;
  const Picoseconds stalled = kernel_now();
  ++statistics_.stalled_requests;
  while (epoch == epoch_ && pages_.free_slots() < pages) co_await room_.wait();
  statistics_.stalled_time += kernel_now() - stalled;
}

// Looks up `pages` pages from `first` on, evicts for the missing ones, and starts the necessary reads. All in one step,
// so that the policy sees the pages of requests in order.
void PageCache::decide(IoCommand& command, Request& request, std::uint64_t first, std::uint32_t pages) {
  const bool write = command.operation == IoOperation::Write;
  const Access access = write ? Access::Write : Access::Read;
  request.waiting.clear();
  request.missing.clear();
  request.fetches.clear();
  left_.clear();
  for (std::uint64_t number = first; number != first + pages; ++number) {
    const auto page = static_cast<std::uint32_t>(number);
    Slot slot = pages_.find(page);
    ++(write ? statistics_.write_pages : statistics_.read_pages);
    if (slot == kNoSlot) {
      slot = pages_.take_in(page, kNoSlot, access, left_);
      if (!write || !covers(command, page)) request.missing.push_back(slot);
    } else {
      ++(write ? statistics_.write_hits : statistics_.read_hits);
      if (pages_[slot].resident) {
        if (pages_.kept_ghost(slot)) ++statistics_.ghost_hits;
        pages_.reference(slot, access, left_);
      } else {
        ++statistics_.leaving_hits;
        if (write) pages_.take_in(page, slot, access, left_);
      }
    }
    const bool missing = !request.missing.empty() && request.missing.back() == slot;
    if (missing || pages_[slot].fetch != nullptr) {
      ++pages_[slot].users;
      request.waiting.push_back(slot);
    } else {
      copy(command, slot);
    }
  }
  start_fetches(command, request);
  batch_.clear();
  for (const Slot slot : left_) {
    if (pages_[slot].resident) continue;  // it became resident again at once
    ++(pages_[slot].dirty ? statistics_.dirty_evictions : statistics_.clean_evictions);
    if (pages_.settle(slot)) batch_.push_back(slot);
  }
  write_pages(batch_, WriteBackCause::Eviction);
  clean_in_background();
}

void PageCache::start_fetches(IoCommand& command, Request& request) {
  for (std::size_t begin = 0; begin < request.missing.size();) {
    PageTransfer& transfer = take_transfer(IoOperation::Read, command.queue);
    transfer.number = command.number;
    transfer.stream = command.stream;
    transfer.offset = begin_of(pages_[request.missing[begin]].number);
    std::size_t end = begin;
    do {
      const Slot slot = request.missing[end++];
      pages_[slot].fetch = &transfer;
      transfer.slots.push_back(slot);
      transfer.length += bytes_of(pages_[slot].number);
    } while (end != request.missing.size() && transfer.slots.size() < most_ &&
             pages_[request.missing[end]].number == pages_[request.missing[end - 1]].number + 1);
    statistics_.fetched_pages += end - begin;
    if (command.operation == IoOperation::Write) statistics_.filled_pages += end - begin;
    ++statistics_.fetch_requests;
    if (shape_.oracle != nullptr) {
      transfer.contents.resize(std::max<std::size_t>(transfer.contents.size(), transfer.length / shape_.sector_bytes));
      transfer.tokens = transfer.contents.data();
    }
    request.fetches.push_back(&transfer);
    begin = end;
  }
  for (PageTransfer* const transfer : request.fetches) runtime_.spawn([this, transfer] { return fetch(*transfer); });
}

Task<void> PageCache::fetch(PageTransfer& transfer) {
  const std::uint64_t epoch = epoch_;
  co_await Submission{*this, transfer};
  const bool good = transfer.status == IoStatus::Ok && epoch == epoch_;
  const SectorToken* token = transfer.tokens;
  for (const Slot slot : transfer.slots) {
    CachedPage& page = pages_[slot];
    page.fetch = nullptr;
    if (!good) {
      page.lost = true;
      pages_.forget(slot);
    } else if (shape_.oracle != nullptr) {
      const std::uint32_t sectors = bytes_of(page.number) / shape_.sector_bytes;
      std::copy_n(token, sectors, pages_.tokens(slot));
      token += sectors;
    }
  }
  transfer.done.wake_all();
}

// Copies the part of a page that `command` covers: to the page for a write, from it for a read.
void PageCache::copy(IoCommand& command, Slot slot) {
  const std::uint64_t page = begin_of(pages_[slot].number);
  if (shape_.oracle != nullptr && command.tokens != nullptr) {
    const std::uint64_t begin = std::max(page, command.offset);
    const std::uint64_t end = std::min(page + page_bytes_, command.offset + command.length);
    SectorToken* const cached = pages_.tokens(slot) + (begin - page) / shape_.sector_bytes;
    SectorToken* const host = command.tokens + (begin - command.offset) / shape_.sector_bytes;
    const auto sectors = static_cast<std::size_t>((end - begin) / shape_.sector_bytes);
    if (command.operation == IoOperation::Write)
      std::copy_n(host, sectors, cached);
    else
      std::copy_n(cached, sectors, host);
  }
  if (command.operation != IoOperation::Write) return;
  pages_.mark_dirty(slot, kernel_now());
  if (daemon_) return;
  daemon_ = true;
  runtime_.spawn([this] { return daemon(); });
}

// The request's reads have ended: charges it with the breakdown of the one that ended last.
void PageCache::finish(IoCommand& command, Request& request) {
  const PageTransfer* last = nullptr;
  for (PageTransfer* const transfer : request.fetches) {
    if (last == nullptr || transfer->at.complete > last->at.complete) last = transfer;
    free_transfers_.push_back(transfer);
  }
  if (last != nullptr) charge(command, *last);
  batch_.clear();
  for (const Slot slot : request.waiting) {
    --pages_[slot].users;
    if (pages_.settle(slot)) batch_.push_back(slot);
  }
  write_pages(batch_, WriteBackCause::Eviction);
  room_.wake_all();
}

void PageCache::charge(IoCommand& command, const PageTransfer& transfer) {
  if (transfer.status != IoStatus::Ok) return;
  command.breakdown.attribute(LatencyPart::Host, transfer.at.submit);
  command.breakdown.append(transfer.breakdown);
}

bool PageCache::covers(const IoCommand& command, std::uint32_t page) const {
  return command.offset <= begin_of(page) && command.offset + command.length >= begin_of(page) + bytes_of(page);
}

std::uint32_t PageCache::bytes_of(std::uint64_t page) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(page_bytes_, shape_.capacity_bytes - begin_of(page)));
}

Task<void> PageCache::pass_on(IoCommand& command, IoOperation operation, std::uint64_t epoch) {
  if (epoch != epoch_) {
    command.status = IoStatus::PowerLost;
    co_return;
  }
  PageTransfer& transfer = take_transfer(operation, command.queue);
  transfer.number = command.number;
  transfer.stream = command.stream;
  if (operation == IoOperation::Trim) {
    transfer.offset = command.offset;
    transfer.length = command.length;
  } else {
    ++statistics_.flushes;
  }
  co_await Submission{*this, transfer};
  command.status = epoch == epoch_ ? transfer.status : IoStatus::PowerLost;
  if (command.status == IoStatus::Ok) charge(command, transfer);
  free_transfers_.push_back(&transfer);
}

Task<void> PageCache::flush(IoCommand& command, std::uint64_t epoch) {
  co_await write_all(pages_.last_order(), epoch);
  co_await pass_on(command, IoOperation::Flush, epoch);
  if (command.status == IoStatus::Ok) command.status = std::exchange(error_, IoStatus::Ok);
}

// Drops the pages of the range from the cache, then sends the trim to the device. Dirty pages at both ends that the
// device will not discard, because the range covers only a part of the page or of the device's unit, are written first.
Task<void> PageCache::trim(IoCommand& command, std::uint64_t epoch) {
  const std::uint64_t grain = std::max(page_bytes_, shape_.discard_bytes);
  const std::uint64_t begin = command.offset / page_bytes_;
  const std::uint64_t end = (command.offset + command.length + page_bytes_ - 1) / page_bytes_;
  const std::uint64_t first_whole = ((command.offset + grain - 1) / grain * grain + page_bytes_ - 1) / page_bytes_;
  const std::uint64_t last_whole = (command.offset + command.length) / grain * grain / page_bytes_;
  if (shape_.discard_bytes == 0 || first_whole >= last_whole) {
    co_await write_range(begin, end, epoch);
  } else {
    co_await write_range(begin, first_whole, epoch);
    co_await write_range(last_whole, end, epoch);
  }
  bool busy = true;
  while (busy && epoch == epoch_) {
    busy = false;
    pages_.each_in(begin, end, [&](Slot slot) { busy = busy || pages_[slot].writing; });
    if (busy) co_await written_.wait();
  }
  if (epoch == epoch_) {
    pages_.each_in(begin, end, [&](Slot slot) {
      pages_.mark_clean(slot);
      pages_.forget(slot);
      pages_.settle(slot);
    });
    const std::uint64_t whole = (command.offset + page_bytes_ - 1) / page_bytes_;
    const std::uint64_t whole_end = (command.offset + command.length) / page_bytes_;
    if (whole < whole_end) pages_.discarded(whole, whole_end);
  }
  room_.wake_all();
  co_await pass_on(command, IoOperation::Trim, epoch);
}

void PageCache::power_lost() {
  powered_ = false;
  ++epoch_;
  pages_.each_in(0, ~std::uint64_t{0}, [&](Slot slot) {
    CachedPage& page = pages_[slot];
    if (page.dirty || page.writing) return;
    page.stale = true;
    pages_.settle(slot);
  });
  written_.wake_all();
  room_.wake_all();
  turn_.wake_all();
}

void PageCache::power_back() {
  powered_ = true;
  power_.wake_all();
  clean_in_background();
}

}  // namespace flashloom
