// How often each erase unit of a device can be erased before it fails: an endurance with a spread between blocks, drawn
// from a seed. Blocks of one chip differ by tens of per cent: Boboila and Desnoyers, "Write endurance in flash drives:
// measurements and analysis", FAST 2010; the normal distribution is an assumption. Beside wear, blocks fail at random:
// each erase and each program has a probability to be the block's last. And some are bad from the factory, marked
// before first use: data sheets guarantee a number of good blocks, ONFI (4.2, section 3.2, "Factory defect mapping")
// says where the marks are. Blocks in pseudo-SLC mode have cycles of their own: nand.slc_endurance.
// Those that firmware uses in both modes wear by both kinds of cycles, each by its share of what it could bear alone
// (Miner's rule, an assumption).
//
// The end of life, and a failure of an erase, is drawn for a whole P/E cycle: it shows in the erase, or in the first
// program. A failure of a program shows in that program, whose block is half-written; with nand.program_failure_at =
// "cycle" it is drawn with the others, and data are never caught in a block that fails.
#pragma once

#include <algorithm>
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
        factory_bad_(config.factory_bad_blocks),
        limited_(config.blocks_fail()),
        blocks_per_die_(blocks_of_die(config, config.blocks)),
        slc_blocks_(blocks_of_die(config, config.slc_blocks)),
        slc_cycles_(config.slc_endurance),
        programs_fail_(config.programs_fail()),
        program_rate_(config.program_failure_at == "program" ? config.program_failure_rate : 0),
        growth_(config.failure_growth),
        worn_before_(config.errors.pe_cycles),
        failed_program_(config.failed_program),
        die_failure_at_(config.die_failure_at),
        failed_die_(config.failed_die),
        seed_(seed) {
    draw_random_failures(config);
    least_ = log_survival_ != 0 ? 0 : least(config);
  }

  /// Blocks may fail in use.
  bool limited() const { return limited_; }
  /// P/E cycles on average, of blocks that are not in pseudo-SLC mode; 0: unlimited.
  std::uint32_t cycles() const { return cycles_; }
  /// Erases of block number `block` of the device (die * blocks a die + block) that succeed; at least 1 but for random
  /// failures.
  std::uint32_t limit(std::uint32_t block) const { return std::min(limit_of_wear(block), limit_of_chance(block)); }
  /// Whether the block has failed when it has been erased so often.
  /// `slc_erases` of them, of a block whose mode firmware chose, in pseudo-SLC mode.
  bool worn_out(std::uint32_t block, std::uint32_t erases, std::uint32_t slc_erases = 0) const {
    if (!limited_ || erases <= least_) return false;
    if (slc_erases != 0) return wear(erases, slc_erases) > limit_of_wear(block) || erases > limit_of_chance(block);
    return erases > limit(block);
  }
  /// In cycles of a block with all its bits: those in pseudo-SLC mode count cycles() / nand.slc_endurance each, whole
  /// if one of the two is 0. Rounded down.
  std::uint32_t wear(std::uint32_t erases, std::uint32_t slc_erases) const {
    if (slc_cycles_ == 0 || cycles_ == 0) return erases;
    return static_cast<std::uint32_t>(erases - slc_erases + std::uint64_t{slc_erases} * cycles_ / slc_cycles_);
  }
  bool has_factory_bad() const { return factory_bad_ != 0; }
  bool bad_from_factory(std::uint32_t block) const { return factory_bad_ != 0 && drawn_bad(block); }
  /// Programs may fail in the midst of a block.
  bool programs_fail() const { return programs_fail_; }
  /// Whether the program at `page` does, of a block that has been erased so often.
  bool program_fails(std::uint32_t block, std::uint32_t erases, std::uint32_t page) const {
    return program_rate_ != 0 && drawn_to_fail(block, erases, page);
  }
  /// Numbers of programs, 0: none (nand.failed_program, nand.die_failure_at).
  std::uint64_t failed_program() const { return failed_program_; }
  std::uint64_t die_failure_at() const { return die_failure_at_; }
  std::uint32_t failed_die() const { return failed_die_; }
  /// A worn-out block still takes its erase, and fails in the program that follows.
  bool fails_in_program(std::uint32_t block) const;

 private:
  /// Erase units, of blocks of a plane.
  static std::uint32_t blocks_of_die(const NandConfig& config, std::uint32_t blocks) {
    return config.multi_plane_program ? blocks : blocks * config.planes;
  }
  std::uint32_t cycles_of(std::uint32_t block) const {
    return slc_blocks_ != 0 && block % blocks_per_die_ < slc_blocks_ ? slc_cycles_ : cycles_;
  }
  static std::uint32_t least(const NandConfig& config);
  void draw_random_failures(const NandConfig& config);
  std::uint32_t limit_of_wear(std::uint32_t block) const;
  std::uint32_t limit_of_chance(std::uint32_t block) const;
  bool drawn_bad(std::uint32_t block) const;
  bool drawn_to_fail(std::uint32_t block, std::uint32_t erases, std::uint32_t page) const;

  std::uint32_t cycles_ = 0;
  double deviation_ = 0;
  double program_failures_ = 0;
  double factory_bad_ = 0;
  double log_survival_ = 0;          // of a P/E cycle, as far as chance goes, without wear; 0: it always survives
  double chance_fails_program_ = 0;  // share of the random failures
  bool limited_ = false;
  std::uint32_t least_ = 0;           // of all limits
  std::uint32_t blocks_per_die_ = 0;  // erase units
  std::uint32_t slc_blocks_ = 0;      // of them, the first
  std::uint32_t slc_cycles_ = 0;
  bool programs_fail_ = false;
  double program_rate_ = 0;  // of each program, without wear; 0: they do not fail in the midst
  double growth_ = 0;        // P/E cycles that double the rates
  double worn_before_ = 0;   // P/E cycles before the run
  std::uint64_t failed_program_ = 0;
  std::uint64_t die_failure_at_ = 0;
  std::uint32_t failed_die_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace flashloom
