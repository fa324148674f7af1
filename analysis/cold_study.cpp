#include "analysis/cold_study.hpp"

#include <algorithm>
#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <span>
#include <stdexcept>

#include "analysis/parallel_points.hpp"
#include "policies/correlation/correlation.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "policies/write_buffer/write_buffer.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

std::unique_ptr<EvictionPolicy> make_policy(const ColdPoint& point, std::uint32_t pages_per_block) {
  if (point.blocks) return Family<WriteBufferPolicy>::make(point.policy, {point.buffer_pages, pages_per_block});
  return Family<ReplacementPolicy>::make(
      point.policy, {.capacity = point.buffer_pages, .slots = point.buffer_pages, .pages_per_block = pages_per_block});
}

/// A write buffer: what is read is looked up in it, and not kept.
class WriteBuffer {
 public:
  WriteBuffer(const ColdPoint& point, std::uint32_t pages_per_block)
      : policy_(make_policy(point, pages_per_block)),
        sets_(Family<CorrelationDetector>::make(point.detector, {point.buffer_pages, pages_per_block}),
              point.buffer_pages),
        page_of_(point.buffer_pages),
        set_sizes_(1) {
    slots_.reserve(point.buffer_pages);
    for (Slot slot = point.buffer_pages; slot-- > 0;) free_.push_back(slot);
  }

  void access(const RangeTrace::Range& range, std::uint64_t request) {
    for (std::uint64_t page = range.first; page < range.first + range.pages; ++page) {
      const auto found = slots_.find(page);
      const bool there = found != slots_.end();
      if (range.kind == RangeTrace::Kind::Write)
        write(page, request, there ? found->second : kNoSlot);
      else if (there && range.kind == RangeTrace::Kind::Read)
        policy_->referenced(found->second, Access::Read);
      else if (range.kind == RangeTrace::Kind::Discard)
        discard(page, there ? found->second : kNoSlot);
    }
  }
  ColdCounts finish() {
    while (!slots_.empty()) evict();
    return counts_;
  }

 private:
  void write(std::uint64_t page, std::uint64_t request, Slot slot) {
    ++counts_.pages_written;
    if (slot != kNoSlot) {
      policy_->referenced(slot, Access::Write);
    } else {
      if (free_.empty()) {
        if (policy_->traits().ghosts) policy_->expected(page, Access::Write);
        evict();
      }
      slot = free_.back();
      free_.pop_back();
      slots_[page] = slot;
      page_of_[slot] = page;
      policy_->inserted(slot, page, Access::Write);
    }
    sets_.written(slot, page, request);
  }
  void discard(std::uint64_t page, Slot slot) {
    last_set_.erase(page);
    if (slot == kNoSlot) return;
    policy_->dropped(slot);
    release(slot);
  }
  void release(Slot slot) {
    sets_.removed(slot);
    slots_.erase(page_of_[slot]);
    free_.push_back(slot);
  }

  void evict() {
    slots_leaving_.assign(1, policy_->victim());
    policy_->companions(slots_leaving_.front(), slots_leaving_);
    sets_.complete(slots_leaving_, leaving_);
    for (auto first = leaving_.begin(); first != leaving_.end();) {
      const auto end = first->set == 0 ? first + 1 : std::find_if(first, leaving_.end(), [first](const auto& page) {
        return page.set != first->set;
      });
      count({first, end});
      first = end;
    }
    for (const LeavingPage& page : leaving_) {
      policy_->removed(page.slot);
      release(page.slot);
    }
  }

  // Pages of one set, or one that is in none.
  void count(std::span<const LeavingPage> pages) {
    const bool in_set = pages.front().set != 0;
    if (in_set) {
      ++counts_.sets;
      counts_.left_in_sets += pages.size();
      counts_.largest_set = std::max<std::uint64_t>(counts_.largest_set, pages.size());
      set_sizes_.push_back(static_cast<std::uint32_t>(pages.size()));
    }
    const auto set = static_cast<std::uint32_t>(in_set ? set_sizes_.size() - 1 : 0);
    counts_.left += pages.size();
    before_.clear();
    for (const LeavingPage& page : pages) {
      const auto [last, fresh] = last_set_.try_emplace(page_of_[page.slot], set);
      if (fresh) continue;
      ++counts_.updated;
      if (in_set) {
        ++counts_.updated_in_sets;
        if (last->second != 0) before_.push_back(last->second);
      }
      last->second = set;
    }
    std::sort(before_.begin(), before_.end());
    for (auto first = before_.begin(); first != before_.end();) {
      const auto end = std::upper_bound(first, before_.end(), *first);
      const auto again = static_cast<std::uint64_t>(end - first);
      if (again > 1 && 2 * again >= set_sizes_[*first]) counts_.updated_together += again;
      first = end;
    }
  }

  std::unique_ptr<EvictionPolicy> policy_;
  CorrelatedSets sets_;
  boost::unordered_flat_map<std::uint64_t, Slot> slots_;  // by page
  std::vector<std::uint64_t> page_of_;                    // by slot
  std::vector<Slot> free_;
  /// By page that has left: the set, numbered from 1 on, that it left in last; 0: none.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> last_set_;
  std::vector<std::uint32_t> set_sizes_;  // by set, pages
  std::vector<std::uint32_t> before_;     // sets; only while pages are counted
  std::vector<Slot> slots_leaving_;
  std::vector<LeavingPage> leaving_;
  ColdCounts counts_;
};

ColdCounts run_cold_point(const RangeTrace& trace, const ColdPoint& point, std::uint32_t pages_per_block,
                          std::atomic<std::uint64_t>& done) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 16;
  WriteBuffer buffer(point, pages_per_block);
  std::uint64_t told = 0;
  std::uint64_t pages = 0;
  for (std::uint64_t request = 0; request < trace.ranges.size(); ++request) {
    buffer.access(trace.ranges[request], request);
    pages += trace.ranges[request].pages;
    if (pages - told < kStep) continue;
    give_up_if_interrupted();
    done += pages - told;
    told = pages;
  }
  return buffer.finish();
}

}  // namespace

RangeTrace read_range_trace(RequestSource& source, std::uint32_t page_bytes, std::uint64_t max_requests,
                            const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t kMostPages = (std::uint64_t{1} << 32) - 1;
  constexpr std::uint64_t kProgressStep = 1 << 16;
  RangeTrace trace;
  Request request;
  for (std::uint64_t read = 0; (max_requests == 0 || read < max_requests) && source.next(request); ++read) {
    if (read % kProgressStep == 0) {
      give_up_if_interrupted();
      if (progress) progress(read);
    }
    if (request.length == 0 || request.kind == RequestKind::Flush) continue;
    const std::uint64_t end = request.offset + request.length;
    std::uint64_t first = request.offset / page_bytes;
    std::uint64_t past = (end + page_bytes - 1) / page_bytes;
    auto kind = RangeTrace::Kind::Discard;
    if (discards(request.kind)) {  // whole pages only
      first = (request.offset + page_bytes - 1) / page_bytes;
      past = end / page_bytes;
    } else {
      const bool write = request.kind == RequestKind::Write;
      kind = write ? RangeTrace::Kind::Write : RangeTrace::Kind::Read;
      ++trace.requests;
      (write ? trace.write_bytes : trace.read_bytes) += request.length;
    }
    if (past <= first) continue;
    if (past > kMostPages) throw std::length_error("a page beyond 2^32 - 2; try larger ones");
    trace.pages += past - first;
    trace.ranges.push_back({.first = first, .pages = static_cast<std::uint32_t>(past - first), .kind = kind});
  }
  return trace;
}

std::vector<ColdCounts> run_cold_study(const RangeTrace& trace, const std::vector<ColdPoint>& points,
                                       std::uint32_t pages_per_block, unsigned threads,
                                       const std::function<void(std::uint64_t)>& progress) {
  return run_points<ColdCounts>(points.size(), threads, progress, [&](std::size_t i, auto& done) {
    return run_cold_point(trace, points[i], pages_per_block, done);
  });
}

}  // namespace flashloom
