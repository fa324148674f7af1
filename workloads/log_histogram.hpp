// A histogram of 64-bit values with octaves split into linear buckets (as in fio and HdrHistogram): constant memory,
// percentiles with a bounded relative error.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace flashloom {

/// 2^kBits buckets per octave: a percentile is too high by at most a share of 2^-kBits. Memory is allocated at the
/// first value, since many histograms stay empty.
template <unsigned kBits>
class LogHistogram {
 public:
  static constexpr std::size_t kBuckets = std::size_t{65 - kBits} << kBits;

  void add(std::uint64_t value) {
    if (buckets_.empty()) [[unlikely]]
      allocate();
    ++buckets_[bucket(value)];
    ++count_;
    sum_ += value;
    if (value < minimum_) [[unlikely]]
      minimum_ = value;
    if (value > maximum_) [[unlikely]]
      maximum_ = value;
  }

  LogHistogram& operator+=(const LogHistogram& other) {
    if (other.count_ == 0) return *this;
    if (buckets_.empty()) allocate();
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    minimum_ = std::min(minimum_, other.minimum_);
    maximum_ = std::max(maximum_, other.maximum_);
    return *this;
  }

  /// Multiplies the count of each bucket by `times`, rounded to a whole number; the mean does not change.
  LogHistogram& operator*=(double times) {
    const double average = mean();
    count_ = 0;
    for (std::uint64_t& bucket : buckets_) {
      bucket = static_cast<std::uint64_t>(std::llround(static_cast<double>(bucket) * times));
      count_ += bucket;
    }
    sum_ = static_cast<Sum>(average * static_cast<double>(count_));
    return *this;
  }

  std::uint64_t count() const { return count_; }
  /// Number of values in that bucket and all below it.
  std::uint64_t count_to(std::size_t bucket) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i <= bucket && i < buckets_.size(); ++i) seen += buckets_[i];
    return seen;
  }
  std::uint64_t minimum() const { return count_ == 0 ? 0 : minimum_; }
  std::uint64_t maximum() const { return maximum_; }
  double mean() const { return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_); }

  /// Calls f(upper bound of the bucket, number of values in it and below) for each bucket that is not empty.
  template <class F>
  void for_each_step(F&& f) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size() && seen != count_; ++i) {
      if (buckets_[i] == 0) continue;
      seen += buckets_[i];
      f(std::min(upper_bound(i), maximum_), seen);
    }
  }

  /// The smallest value that a share `p` (0 ... 1) of all values does not exceed, as the upper bound of its bucket.
  std::uint64_t percentile(double p) const {
    return count_ == 0 ? 0 : std::min(upper_bound(percentile_bucket(p)), maximum_);
  }
  /// The bucket that holds percentile `p`; 0 if the histogram is empty.
  std::size_t percentile_bucket(double p) const {
    const auto rank =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(p * static_cast<double>(count_) + 0.999999));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen >= rank) return i;
    }
    return count_ == 0 ? 0 : bucket(maximum_);
  }

  /// Saves or loads the histogram, only the buckets that are not empty (archives: policies/state_archive.hpp).
  template <class Archive>
  void state(Archive& archive) {
    std::vector<std::uint64_t> filled;  // pairs of bucket and count
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      if (buckets_[i] != 0) filled.insert(filled.end(), {i, buckets_[i]});
    archive(filled, count_, sum_, minimum_, maximum_);
    if (!archive.loading()) return;
    buckets_.assign(filled.empty() ? 0 : kBuckets, 0);
    for (std::size_t i = 0; i < filled.size(); i += 2) buckets_[filled[i]] = filled[i + 1];
  }

  static std::size_t bucket(std::uint64_t value) {
    const unsigned magnitude = static_cast<unsigned>(std::bit_width(value >> kBits));
    if (magnitude == 0) return value;
    const unsigned shift = magnitude - 1;
    return (static_cast<std::size_t>(magnitude) << kBits) + ((value >> shift) - (std::uint64_t{1} << kBits));
  }

  /// The largest value of a bucket.
  static std::uint64_t upper_bound(std::size_t index) {
    const auto magnitude = static_cast<unsigned>(index >> kBits);
    if (magnitude == 0) return index;
    const unsigned shift = magnitude - 1;
    return ((((index & ((std::size_t{1} << kBits) - 1)) + (std::size_t{1} << kBits)) + 1) << shift) - 1;
  }

 private:
  [[gnu::cold, gnu::noinline]] void allocate() { buckets_.resize(kBuckets); }

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  __extension__ typedef unsigned __int128 Sum;
  Sum sum_ = 0;
  std::uint64_t minimum_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t maximum_ = 0;
};

}  // namespace flashloom
