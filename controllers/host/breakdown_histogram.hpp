// Latency breakdowns summed by ranges of latency, so that the requests around a percentile can be asked where their
// time went.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/host/latency_histogram.hpp"
#include "models/block/latency_breakdown.hpp"

namespace flashloom {

/// A range is eight buckets of a LatencyHistogram, a sixteenth of an octave: wide enough to hold several requests, and
/// few enough to stay in the caches of the computer, since each request is added here. Sums are exact: 128 bits.
class BreakdownHistogram {
 public:
  __extension__ typedef unsigned __int128 Sum;
  struct Sums {
    std::uint64_t requests = 0;
    std::array<Sum, kLatencyParts> parts{};  ///< ps
  };

  void add(Picoseconds latency, const LatencyBreakdown& breakdown) {
    if (rows_.empty()) [[unlikely]]
      rows_.resize(kRows);
    Row& row = rows_[LatencyHistogram::bucket(latency) / kBuckets];
    ++row.requests;
    for (std::size_t part = 0; part < kLatencyParts; ++part) {
      const Picoseconds sum = row.low[part] += breakdown.parts()[part];
      if (sum < breakdown.parts()[part]) [[unlikely]]
        carry(row, part);
    }
  }

  BreakdownHistogram& operator+=(const BreakdownHistogram& other) {
    if (other.rows_.empty()) return *this;
    rows_.resize(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      const Sums sums = other.sums(other.rows_[i]);
      rows_[i].requests += sums.requests;
      for (std::size_t part = 0; part < kLatencyParts; ++part) {
        const auto low = static_cast<std::uint64_t>(sums.parts[part]);
        rows_[i].low[part] += low;
        rows_[i].high[part] +=
            static_cast<std::uint64_t>(sums.parts[part] >> 64) + (rows_[i].low[part] < low ? 1U : 0U);
      }
    }
    return *this;
  }

  /// Of all requests.
  Sums total() const {
    Sums total;
    for (const Row& row : rows_) {
      const Sums sums = BreakdownHistogram::sums(row);
      total.requests += sums.requests;
      for (std::size_t part = 0; part < kLatencyParts; ++part) total.parts[part] += sums.parts[part];
    }
    return total;
  }
  /// Of the requests in the range that a bucket of the latency histogram lies in.
  Sums around(std::size_t bucket) const { return rows_.empty() ? Sums{} : sums(rows_[bucket / kBuckets]); }

 private:
  static constexpr std::size_t kBuckets = 8;
  static constexpr std::size_t kRows = LatencyHistogram::kBuckets / kBuckets;
  struct Row {
    std::uint64_t requests = 0;
    std::array<std::uint64_t, kLatencyParts> low{};
    std::array<std::uint64_t, kLatencyParts> high{};  // apart: hardly ever touched
  };

  [[gnu::cold, gnu::noinline]] static void carry(Row& row, std::size_t part) { ++row.high[part]; }
  static Sums sums(const Row& row) {
    Sums sums{.requests = row.requests};
    for (std::size_t part = 0; part < kLatencyParts; ++part)
      sums.parts[part] = (Sum{row.high[part]} << 64) + row.low[part];
    return sums;
  }

  std::vector<Row> rows_;
};

}  // namespace flashloom
