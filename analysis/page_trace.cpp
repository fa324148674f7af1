#include "analysis/page_trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <stdexcept>

#include "analysis/page_numbers.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

/// Division by a size that is a power of two as a rule: three of them a request take longer than all the rest.
class PageSize {
 public:
  explicit PageSize(std::uint64_t value)
      : value_(value), shift_(std::has_single_bit(value) ? std::countr_zero(value) : kNone) {}
  std::uint64_t number(std::uint64_t at) const { return shift_ != kNone ? at >> shift_ : at / value_; }
  bool divides(std::uint64_t at) const { return number(at) * value_ == at; }

 private:
  static constexpr int kNone = -1;
  std::uint64_t value_;
  int shift_;
};

/// The running state of a pass.
class Pass {
 public:
  explicit Pass(const PageTraceOptions& options)
      : options_(options), page_(options.page_bytes), block_(options.pages_per_block) {
    trace_.page_bytes = options.page_bytes;
  }

  // What add() is going to look up.
  [[gnu::always_inline]] void expect_chunk(const Request& request) const {
    numbers_.prefetch_chunk(page_.number(request.offset));
  }
  [[gnu::always_inline]] std::uint32_t expect_number(const Request& request) const {
    return numbers_.prefetch_number(page_.number(request.offset));
  }

  /// `hint`: of expect_number().
  void add(const Request& request, std::uint32_t hint) {
    ++trace_.requests;
    if (request.length == 0 || request.kind == RequestKind::Flush) return;
    if (discards(request.kind)) {
      discard(request);
      return;
    }
    const bool write = request.kind == RequestKind::Write;
    const std::uint64_t end = request.offset + request.length;
    const std::uint64_t first = page_.number(request.offset);
    const std::uint64_t last = page_.number(end - 1);
    (write ? trace_.writes : trace_.reads) += last - first + 1;
    const auto kind = write ? PageReference::Kind::Write : PageReference::Kind::Read;
    trace_.references.push_back({number(first, hint), kind});
    for (std::uint64_t page = first + 1; page <= last; ++page) trace_.references.push_back({number(page), kind});
    const bool whole = page_.divides(request.offset) && page_.divides(end);
    if (!whole || partial_) add_bytes(request.offset, end, first, last);
  }
  PageTrace finish() {
    trace_.footprint = numbers_.size();
    if (trace_.writes != 0) trace_.addresses = numbers_.take_addresses();
    numbers_ = PageNumbers();
    number_blocks();
    return std::move(trace_);
  }

 private:
  std::uint32_t number(std::uint64_t page, std::uint32_t hint = PageNumbers::kNone) {
    const std::uint32_t number = numbers_.of(page, hint);
    if (number >= PageReference::kMostPages) throw std::length_error("more than 2^30 distinct pages; try larger ones");
    return number;
  }
  // When all pages are known, so that this table and theirs are not needed at a time.
  void number_blocks() {
    DenseNumbers numbers;
    trace_.blocks.reserve(trace_.addresses.size());
    for (const std::uint64_t page : trace_.addresses) trace_.blocks.push_back(numbers.of(block_.number(page)));
    trace_.block_count = numbers.size();
  }
  // Only whole pages are discarded.
  void discard(const Request& request) {
    const std::uint64_t first = (request.offset + options_.page_bytes - 1) / options_.page_bytes;
    const std::uint64_t end = (request.offset + request.length) / options_.page_bytes;
    if (first < end && end - first > numbers_.size()) {
      for (std::uint32_t number = 0; number < numbers_.size(); ++number)
        if (numbers_.address(number) - first < end - first) discard(number);
      return;
    }
    for (std::uint64_t page = first; page < end; ++page)
      if (const std::uint32_t known = numbers_.find(page); known != PageNumbers::kNone) discard(known);
  }
  void discard(std::uint32_t number) {
    trace_.references.push_back({number, PageReference::Kind::Discard});
    if (partial_) trace_.bytes.push_back(0);
  }
  void add_bytes(std::uint64_t begin, std::uint64_t end, std::uint64_t first, std::uint64_t last) {
    if (!partial_) {  // all before were whole pages
      for (std::size_t n = trace_.references.size() - (last - first + 1); n != 0; --n)
        trace_.bytes.push_back(options_.page_bytes);
      partial_ = true;
    }
    for (std::uint64_t page = first; page <= last; ++page) {
      const std::uint64_t from = std::max(begin, page * options_.page_bytes);
      const std::uint64_t to = std::min(end, (page + 1) * options_.page_bytes);
      trace_.bytes.push_back(static_cast<std::uint32_t>(to - from));
    }
  }

  PageTraceOptions options_;
  PageSize page_;
  PageSize block_;  // in pages
  PageTrace trace_;
  PageNumbers numbers_;
  bool partial_ = false;
};

}  // namespace

// A batch is read, and what leads to its pages' numbers is fetched; a step later these are; another step later it is
// added. So what a batch waits for comes from memory while others are worked on.
PageTrace read_page_trace(RequestSource& source, const PageTraceOptions& options) {
  constexpr std::uint64_t kProgressStep = 1 << 16;
  constexpr std::size_t kBatch = 32;
  struct Batch {
    std::array<Request, kBatch> requests;
    std::array<std::uint32_t, kBatch> hints;
    std::size_t size = 0;
  };
  Pass pass(options);
  std::array<Batch, 3> batches;
  std::uint64_t requests = 0;
  std::size_t ended = 0;  // the first step at which nothing was read
  for (std::size_t step = 0; step < ended + 2; ++step) {
    Batch& first = batches[step % 3];
    Batch& second = batches[(step + 2) % 3];  // of the step before
    const Batch& third = batches[(step + 1) % 3];
    const std::uint64_t left = options.max_requests == 0 ? kBatch : options.max_requests - requests;
    first.size =
        step == ended ? source.next_batch(std::span(first.requests).first(std::min<std::uint64_t>(kBatch, left))) : 0;
    if (first.size != 0) ended = step + 1;
    for (std::size_t i = 0; i < kBatch; ++i) {
      if (i < first.size) pass.expect_chunk(first.requests[i]);
      if (i < second.size) second.hints[i] = pass.expect_number(second.requests[i]);
      if (i < third.size) pass.add(third.requests[i], third.hints[i]);
    }
    requests += first.size;
    give_up_if_interrupted();
    if (options.progress && first.size != 0 && requests % kProgressStep == 0) options.progress(requests);
  }
  return pass.finish();
}

}  // namespace flashloom
