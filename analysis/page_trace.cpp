#include "analysis/page_trace.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "analysis/page_numbers.hpp"

namespace flashloom {
namespace {

/// The running state of a pass.
class Pass {
 public:
  explicit Pass(const PageTraceOptions& options) : options_(options) { trace_.page_bytes = options.page_bytes; }

  // What add() is going to look up.
  [[gnu::always_inline]] void expect_chunk(const Request& request) const {
    numbers_.prefetch_chunk(request.offset / options_.page_bytes);
  }
  [[gnu::always_inline]] void expect_number(const Request& request) const {
    numbers_.prefetch_number(request.offset / options_.page_bytes);
  }

  /// Room for so many references: growing copies them, and the system clears the memory of every copy.
  void expect_references(std::uint64_t n) { trace_.references.reserve(std::min(n, kMostReserved)); }

  void add(const Request& request) {
    ++trace_.requests;
    if (request.length == 0 || request.kind == RequestKind::Flush) return;
    if (request.kind == RequestKind::Trim) {
      discard(request);
      return;
    }
    const bool write = request.kind == RequestKind::Write;
    const std::uint64_t end = request.offset + request.length;
    const std::uint64_t first = request.offset / options_.page_bytes;
    const std::uint64_t last = (end - 1) / options_.page_bytes;
    (write ? trace_.writes : trace_.reads) += last - first + 1;
    const auto kind = write ? PageReference::Kind::Write : PageReference::Kind::Read;
    for (std::uint64_t page = first; page <= last; ++page) trace_.references.emplace_back(number(page), kind);
    const bool whole = request.offset % options_.page_bytes == 0 && end % options_.page_bytes == 0;
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
      trace_.blocks.push_back(block_numbers_.of(page / options_.pages_per_block));
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
  PageTrace trace_;
  PageNumbers numbers_;
  DenseNumbers block_numbers_;
  bool partial_ = false;
};

}  // namespace

PageTrace read_page_trace(RequestSource& source, const PageTraceOptions& options) {
  constexpr std::uint64_t kProgressStep = 1 << 16;
  constexpr std::size_t kBatch = 512;
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
    if (options.progress && requests % kProgressStep == 0) options.progress(requests);
  }
  return pass.finish();
}

}  // namespace flashloom
