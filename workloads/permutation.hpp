// A pseudo-random order of 0 .. n-1 in constant memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/random.hpp"

namespace flashloom {

/// A keyed bijection on [0, size): a Feistel network over the next even number of bits, and cycle walking back into the
/// range (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002). Expected steps per value: up to 4.
class RandomPermutation {
 public:
  /// `size` from 1 to 2^63.
  RandomPermutation(std::uint64_t size, std::uint64_t key) : size_(size) {
    const unsigned bits = size > 1 ? static_cast<unsigned>(std::bit_width(size - 1)) : 1U;
    half_bits_ = (bits + 1) / 2;
    mask_ = (std::uint64_t{1} << half_bits_) - 1;
    for (std::uint64_t& round_key : keys_) round_key = splitmix64(key);
    if (half_bits_ <= kTabledBits) tabulate();
  }

  std::uint64_t size() const { return size_; }

  /// The image of `index` < size().
  std::uint64_t operator()(std::uint64_t index) const {
    do index = encipher(index);
    while (index >= size_);
    return index;
  }

 private:
  static constexpr unsigned kTabledBits = 12;  // 48 KiB for all rounds

  // The round function: the bits that a round XORs into the other half.
  std::uint64_t worked_out(std::size_t round, std::uint64_t half) const {
    std::uint64_t state = half ^ keys_[round];
    return splitmix64(state) & mask_;
  }
  std::uint64_t mixed(std::size_t round, std::uint64_t half) const {
    return mixed_.empty() ? worked_out(round, half) : mixed_[(round << half_bits_) + half];
  }
  void tabulate() {
    mixed_.reserve(keys_.size() << half_bits_);
    for (std::size_t round = 0; round < keys_.size(); ++round)
      for (std::uint64_t half = 0; half <= mask_; ++half)
        mixed_.push_back(static_cast<std::uint16_t>(worked_out(round, half)));
  }

  std::uint64_t encipher(std::uint64_t value) const {
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & mask_;
    for (std::size_t round = 0; round < keys_.size(); ++round) {
      left ^= mixed(round, right);
      std::swap(left, right);
    }
    return (left << half_bits_) | right;
  }

  std::uint64_t size_;
  unsigned half_bits_ = 1;
  std::uint64_t mask_ = 1;
  std::array<std::uint64_t, 6> keys_{};
  std::vector<std::uint16_t> mixed_;  // round function by round and half, up to kTabledBits; else empty
};

}  // namespace flashloom
