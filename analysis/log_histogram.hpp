// A histogram of 64-bit values in buckets of 1/64 of an octave: constant memory, percentiles within 1.6 %.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace flashloom {

class LogHistogram {
 public:
  void add(std::uint64_t value) {
    ++buckets_[bucket(value)];
    ++count_;
    minimum_ = std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t min() const { return count_ == 0 ? 0 : minimum_; }  ///< exact
  std::uint64_t max() const { return maximum_; }                    ///< exact

  /// The value that `percent` of the values do not exceed: the highest one of its bucket, within [min, max]; 0 if
  /// empty.
  std::uint64_t percentile(unsigned percent) const {
    if (count_ == 0) return 0;
    const std::uint64_t rank = std::max<std::uint64_t>(1, count_ / 100 * percent + (count_ % 100 * percent + 99) / 100);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen >= rank) return std::clamp(highest(i), minimum_, maximum_);
    }
    return maximum_;
  }

 private:
  static constexpr unsigned kSubBits = 6;
  static constexpr std::size_t kSub = std::size_t{1} << kSubBits;

  // Values below 64 have a bucket each; above, the highest 7 bits choose it.
  static std::size_t bucket(std::uint64_t value) {
    if (value < kSub) return static_cast<std::size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return shift * kSub + static_cast<std::size_t>(value >> shift);
  }
  static std::uint64_t highest(std::size_t bucket) {
    if (bucket < 2 * kSub) return bucket;
    const std::size_t shift = bucket / kSub - 1;
    const std::uint64_t top = bucket - shift * kSub;
    return (top << shift) + ((std::uint64_t{1} << shift) - 1);
  }

  std::array<std::uint64_t, (64 - kSubBits + 1) * kSub> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t minimum_ = ~std::uint64_t{0};
  std::uint64_t maximum_ = 0;
};

}  // namespace flashloom
