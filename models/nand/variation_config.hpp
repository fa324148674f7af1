// [nand.variation]: how much dies, blocks and layers differ.
#pragma once

#include <cstdint>

namespace flashloom {

/// Standard deviations of the logarithm of a factor; 0: all alike.
struct Deviations {
  double die = 0;
  double block = 0;  ///< of a plane
  double layer = 0;  ///< of its word lines, the same in all blocks
  bool any() const { return die != 0 || block != 0 || layer != 0; }
};

struct VariationConfig {
  Deviations program;        ///< of tPROG
  Deviations erase;          ///< of tBERS; without layers, since an erase covers all of them
  Deviations read;           ///< of tR
  Deviations errors;         ///< of the raw bit error rate
  std::uint32_t layers = 0;  ///< layers of a block; 0: one a word line
  std::uint64_t seed = 1;    ///< selects one device of the production
  bool times() const { return program.any() || erase.any() || read.any(); }
  /// Whether blocks differ in their program or erase times.
  bool block_times() const { return program.block != 0 || erase.block != 0; }
};

}  // namespace flashloom
