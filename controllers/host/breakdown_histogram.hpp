// Latency breakdowns summed by the buckets of a LatencyHistogram, so that the requests around a percentile can be
// asked where their time went.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "controllers/host/latency_histogram.hpp"
#include "models/block/latency_breakdown.hpp"

namespace flashloom {

/// Sums are exact: 128 bits. Memory comes by the octave, when a latency first falls into it.
class BreakdownHistogram {
 public:
  __extension__ typedef unsigned __int128 Sum;
  using Sums = std::array<Sum, kLatencyParts>;

  void add(Picoseconds latency, const LatencyBreakdown& breakdown) {
    Sums& sums = row(LatencyHistogram::bucket(latency));
    for (std::size_t part = 0; part < kLatencyParts; ++part) sums[part] += breakdown.parts()[part];
  }

  BreakdownHistogram& operator+=(const BreakdownHistogram& other) {
    for (std::size_t octave = 0; octave < other.octaves_.size(); ++octave) {
      if (other.octaves_[octave] == nullptr) continue;
      for (std::size_t i = 0; i < kOctave; ++i) {
        Sums& sums = row(octave * kOctave + i);
        for (std::size_t part = 0; part < kLatencyParts; ++part) sums[part] += (*other.octaves_[octave])[i][part];
      }
    }
    return *this;
  }

  /// Of all requests.
  Sums total() const {
    Sums total{};
    for (const auto& octave : octaves_) {
      if (octave == nullptr) continue;
      for (const Sums& sums : *octave)
        for (std::size_t part = 0; part < kLatencyParts; ++part) total[part] += sums[part];
    }
    return total;
  }
  /// Of the requests in one bucket of the latency histogram.
  Sums in_bucket(std::size_t bucket) const {
    const std::size_t octave = bucket / kOctave;
    if (octave >= octaves_.size() || octaves_[octave] == nullptr) return {};
    return (*octaves_[octave])[bucket % kOctave];
  }

  BreakdownHistogram() = default;
  BreakdownHistogram(const BreakdownHistogram& other) { *this += other; }
  BreakdownHistogram& operator=(const BreakdownHistogram& other) {
    BreakdownHistogram copy(other);
    octaves_.swap(copy.octaves_);
    return *this;
  }
  BreakdownHistogram(BreakdownHistogram&&) = default;
  BreakdownHistogram& operator=(BreakdownHistogram&&) = default;
  ~BreakdownHistogram() = default;

 private:
  static constexpr std::size_t kOctave = LatencyHistogram::kSteps;
  using Octave = std::array<Sums, kOctave>;

  Sums& row(std::size_t bucket) {
    const std::size_t octave = bucket / kOctave;
    if (octave >= octaves_.size() || octaves_[octave] == nullptr) [[unlikely]] {
      octaves_.resize(std::max(octaves_.size(), octave + 1));
      octaves_[octave] = std::make_unique<Octave>();
    }
    return (*octaves_[octave])[bucket % kOctave];
  }

  std::vector<std::unique_ptr<Octave>> octaves_;
};

}  // namespace flashloom
