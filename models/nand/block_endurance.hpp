// How often each erase unit of a device can be erased before it fails: an endurance with a spread between blocks, drawn
// from a seed. Blocks of one chip differ by tens of per cent: Boboila and Desnoyers, "Write endurance in flash drives:
// measurements and analysis", FAST 2010; the normal distribution is an assumption.
#pragma once

#include <cstdint>

#include "models/nand/nand_config.hpp"

namespace flashloom {

class BlockEndurance {
 public:
  /// Unlimited.
  BlockEndurance() = default;
  BlockEndurance(const NandConfig& config, std::uint64_t seed)
      : cycles_(config.endurance),
        deviation_(config.endurance_deviation),
        program_failures_(config.program_failures),
        least_(least(config)),
        seed_(seed) {}

  bool limited() const { return cycles_ != 0; }
  /// P/E cycles on average; 0: unlimited.
  std::uint32_t cycles() const { return cycles_; }
  /// Erases of block number `block` of the device (die * blocks a die + block) that succeed; at least 1.
  std::uint32_t limit(std::uint32_t block) const;
  /// Whether the block has failed when it has been erased so often.
  bool worn_out(std::uint32_t block, std::uint32_t erases) const {
    return cycles_ != 0 && erases > least_ && erases > limit(block);
  }
  /// A worn-out block still takes its erase, and fails in the program that follows.
  bool fails_in_program(std::uint32_t block) const;

 private:
  static std::uint32_t least(const NandConfig& config);

  std::uint32_t cycles_ = 0;
  double deviation_ = 0;
  double program_failures_ = 0;
  std::uint32_t least_ = 0;  // of all limits
  std::uint64_t seed_ = 0;
};

}  // namespace flashloom
