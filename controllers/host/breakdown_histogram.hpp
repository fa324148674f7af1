// Latency breakdowns summed by ranges of latency: show where the time of requests around a percentile went.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
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
      allocate();
    const std::size_t number = LatencyHistogram::bucket(latency) / kBuckets;
    Row& row = rows_[number];
    ++row.requests;
    row.latency += latency;
    for (std::size_t part = 0; part < kLatencyParts; ++part) row.parts[part] += breakdown.parts()[part];
    if (row.latency >= kCarry) [[unlikely]]
      carry(number);
  }

  BreakdownHistogram& operator+=(const BreakdownHistogram& other) {
    if (other.rows_.empty()) return *this;
    if (rows_.empty()) allocate();
    if (!other.carried_.empty()) carried_.resize(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      rows_[i].requests += other.rows_[i].requests;
      rows_[i].latency += other.rows_[i].latency;
      for (std::size_t part = 0; part < kLatencyParts; ++part) {
        rows_[i].parts[part] += other.rows_[i].parts[part];
        if (!other.carried_.empty()) carried_[i][part] += other.carried_[i][part];
      }
      if (rows_[i].latency >= kCarry) carry(i);
    }
    return *this;
  }

  /// Counts each request `times` times, rounded to whole numbers.
  BreakdownHistogram& operator*=(double times) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      const Sums sums = of_row(i);
      row.requests = static_cast<std::uint64_t>(std::llround(static_cast<double>(row.requests) * times));
      row.latency = 0;
      row.parts = {};
      for (std::size_t part = 0; part < kLatencyParts; ++part) {
        if (sums.parts[part] == 0) continue;
        carried_.resize(kRows);
        carried_[i][part] = static_cast<Sum>(static_cast<double>(sums.parts[part]) * times);
      }
    }
    return *this;
  }

  /// Saves or loads it (an archive as in policies/state_archive.hpp).
  template <class Archive>
  void state(Archive& archive) {
    std::vector<std::uint64_t> filled;  // rows that are not empty
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].requests != 0) filled.push_back(i);
    bool carried = !carried_.empty();
    archive(filled, carried);
    if (archive.loading()) {
      rows_.assign(filled.empty() ? 0 : kRows, {});
      carried_.assign(carried ? kRows : 0, {});
    }
    for (const std::uint64_t row : filled) {
      archive(rows_[row]);
      if (carried) archive(carried_[row]);
    }
  }

  /// Of all requests.
  Sums total() const {
    Sums total;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Sums sums = of_row(i);
      total.requests += sums.requests;
      for (std::size_t part = 0; part < kLatencyParts; ++part) total.parts[part] += sums.parts[part];
    }
    return total;
  }
  /// Of the requests in the range that a bucket of the latency histogram lies in.
  Sums around(std::size_t bucket) const { return rows_.empty() ? Sums{} : of_row(bucket / kBuckets); }

 private:
  [[gnu::cold, gnu::noinline]] void allocate() { rows_.resize(kRows); }

  static constexpr std::size_t kBuckets = 8;
  static constexpr std::size_t kRows = LatencyHistogram::kBuckets / kBuckets;
  // Parts add to the latency: where the sum of latencies fits into 64 bits, those of the parts do. Below 2^63, two rows
  // can be added first.
  static constexpr Picoseconds kCarry = Picoseconds{1} << 63;
  struct Row {
    std::uint64_t requests = 0;
    Picoseconds latency = 0;                         // sum since the last carry
    std::array<Picoseconds, kLatencyParts> parts{};  // the same
  };

  [[gnu::cold, gnu::noinline]] void carry(std::size_t row) {
    carried_.resize(kRows);
    for (std::size_t part = 0; part < kLatencyParts; ++part)
      carried_[row][part] += std::exchange(rows_[row].parts[part], 0);
    rows_[row].latency = 0;
  }
  Sums of_row(std::size_t row) const {
    Sums sums{.requests = rows_[row].requests};
    for (std::size_t part = 0; part < kLatencyParts; ++part)
      sums.parts[part] = rows_[row].parts[part] + (carried_.empty() ? Sum{0} : carried_[row][part]);
    return sums;
  }

  std::vector<Row> rows_;
  std::vector<std::array<Sum, kLatencyParts>> carried_;  // by row; hardly ever any
};

}  // namespace flashloom
