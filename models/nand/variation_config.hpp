// [nand.variation]: how far dies, blocks and layers lie apart.
#pragma once

#include <cstdint>

namespace flashloom {

/// Standard deviations of the logarithm of a factor; 0: all alike.
struct Deviations {
  double die = 0;
  double block = 0;  ///< of a plane
  double layer = 0;  ///< of word lines, the same in all blocks
  bool any() const { return die != 0 || block != 0 || layer != 0; }
};

struct VariationConfig {
  Deviations program;        ///< of tPROG
  Deviations erase;          ///< of tBERS; an erase is of all layers
  Deviations read;           ///< of tR
  Deviations errors;         ///< of the raw bit error rate
  std::uint32_t layers = 0;  ///< of a block; 0: each word line is one
  std::uint64_t seed = 1;    ///< which device of the production it is
  bool times() const { return program.any() || erase.any() || read.any(); }
  /// Blocks are not equally fast to write.
  bool block_times() const { return program.block != 0 || erase.block != 0; }
};

}  // namespace flashloom
