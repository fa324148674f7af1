#include "analysis/page_trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
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
  [[gnu::always_inline]] void expect_number(const Request& request) const {
    numbers_.prefetch_number(page_.number(request.offset));
  }

  /// Room for so many references: growing copies them, and the system clears the memory of every copy.
  void expect_references(std::uint64_t n) { trace_.references.reserve(std::min(n, kMostReserved)); }

  void add(const Request& request) {
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
    for (std::uint64_t page = first; page <= last; ++page) trace_.references.emplace_back(number(page), kind);
    const bool whole = page_.divides(request.offset) && page_.divides(end);
    if (!whole || partial_) add_bytes(request.offset, end, first, last);
  }
  PageTrace finish() {
    trace_.block_count = block_numbers_.size();
    trace_.addresses = numbers_.take_addresses();
    return std::move(trace_);
  }

 private:
  static constexpr std::uint64_t kMostReserved = std::uint64_t{1} << 28;

  std::uint32_t number(std::uint64_t page) {
    const std::uint32_t number = numbers_.of(page);
    if (number == trace_.blocks.size()) {
      if (number >= PageReference::kMostPages)
        throw std::length_error("more than 2^30 distinct pages; try larger ones");
      trace_.blocks.push_back(block_numbers_.of(block_.number(page)));
    }
    return number;
  }
  // Only whole pages are discarded.
  void discard(const Request& request) {
    const std::uint64_t first = (request.offset + options_.page_bytes - 1) / options_.page_bytes;
    const std::uint64_t end = (request.offset + request.length) / options_.page_bytes;
    if (first < end && end - first > trace_.blocks.size()) {
      for (std::uint32_t number = 0; number < trace_.blocks.size(); ++number)
        if (numbers_.address(number) - first < end - first) discard(number);
      return;
    }
    for (std::uint64_t page = first; page < end; ++page)
      if (const std::uint32_t known = numbers_.find(page); known != PageNumbers::kNone) discard(known);
  }
  void discard(std::uint32_t number) {
    trace_.references.emplace_back(number, PageReference::Kind::Discard);
    if (partial_) trace_.bytes.push_back(0);
  }
  void add_bytes(std::uint64_t begin, std::uint64_t end, std::uint64_t first, std::uint64_t last) {
    if (!partial_) {  // all before were whole pages
      trace_.bytes.assign(trace_.references.size() - (last - first + 1), options_.page_bytes);
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
  DenseNumbers block_numbers_;
  bool partial_ = false;
};

}  // namespace

PageTrace read_page_trace(RequestSource& source, const PageTraceOptions& options) {
  constexpr std::uint64_t kProgressStep = 1 << 16;
  constexpr std::size_t kBatch = 128;
  constexpr std::size_t kNumberAhead = 24;
  Pass pass(options);
  const std::uint64_t expected = source.expected_requests();
  pass.expect_references(options.max_requests == 0 ? expected : std::min(expected, options.max_requests));
  std::array<Request, kBatch> batch;
  for (std::uint64_t requests = 0;;) {
    const std::uint64_t left = options.max_requests == 0 ? kBatch : options.max_requests - requests;
    std::size_t n = 0;
    while (n < std::min<std::uint64_t>(kBatch, left) && source.next(batch[n])) pass.expect_chunk(batch[n++]);
    if (n == 0) break;
    for (std::size_t i = 0; i < std::min(n, kNumberAhead); ++i) pass.expect_number(batch[i]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kNumberAhead < n) pass.expect_number(batch[i + kNumberAhead]);
      pass.add(batch[i]);
    }
    requests += n;
    give_up_if_interrupted();
    if (options.progress && requests % kProgressStep == 0) options.progress(requests);
  }
  return pass.finish();
}

}  // namespace flashloom
