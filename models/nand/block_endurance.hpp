// How often each erase unit of a device can be erased before it fails: an endurance with a spread between blocks, drawn
// from a seed. Blocks of one chip differ by tens of per cent: Boboila and Desnoyers, "Write endurance in flash drives:
// measurements and analysis", FAST 2010; the normal distribution is an assumption. Independently of wear, each erase
// and each program may fail at random, as the block's last one. Some blocks are bad from the factory, marked before
// first use: data sheets guarantee a number of good blocks, ONFI (4.2, section 3.2, "Factory defect mapping") says
// where the marks are. Blocks in pseudo-SLC mode have their own number of cycles: nand.slc_endurance. Blocks that
// firmware uses in both modes wear by both kinds of cycles, each cycle by its share of that mode's endurance (Miner's
// rule, an assumption).
//
// The end of life, and the failure of an erase, is drawn once for a whole P/E cycle: it shows in the erase, or in the
// first program. The failure of a program shows in that program, whose block is then half-written; with
// nand.program_failure_at = "cycle" it is drawn with the others, so that no data are ever in a block that fails.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flashloom {

struct NandConfig;

class BlockEndurance {
 public:
  /// Unlimited endurance.
  BlockEndurance() = default;
  BlockEndurance(const NandConfig& config, std::uint64_t seed);

  /// Blocks may fail in use.
  bool limited() const { return limited_; }
  /// Mean endurance in P/E cycles of blocks that are not in pseudo-SLC mode; 0: unlimited.
  std::uint32_t cycles() const { return cycles_; }
  /// Number of successful erases of block number `block` of the device (die * blocks a die + block); at least 1, unless
  /// a random failure comes first.
  std::uint32_t limit(std::uint32_t block) const { return std::min(limit_of_wear(block), limit_of_chance(block)); }
  /// Whether the block has failed after `erases` erases, of which `slc_erases` in pseudo-SLC mode (for a block whose
  /// mode firmware chose).
  bool worn_out(std::uint32_t block, std::uint32_t erases, std::uint32_t slc_erases = 0) const {
    if (!limited_ || erases <= least_) return false;
    if (slc_erases != 0) return wear(erases, slc_erases) > limit_of_wear(block) || erases > limit_of_chance(block);
    return erases > limit(block);
  }
  /// Wear in cycles outside pseudo-SLC mode: an SLC cycle counts cycles() / nand.slc_endurance, or 1 if either is 0.
  /// Rounded down.
  std::uint32_t wear(std::uint32_t erases, std::uint32_t slc_erases) const {
    if (slc_cycles_ == 0 || cycles_ == 0) return erases;
    return static_cast<std::uint32_t>(erases - slc_erases + std::uint64_t{slc_erases} * cycles_ / slc_cycles_);
  }
  bool has_factory_bad() const { return factory_bad_ != 0; }
  bool bad_from_factory(std::uint32_t block) const { return factory_bad_ != 0 && drawn_bad(block); }
  /// Programs may fail in the midst of a block.
  bool programs_fail() const { return programs_fail_; }
  /// Whether the program at `page` of a block with `erases` erases fails.
  bool program_fails(std::uint32_t block, std::uint32_t erases, std::uint32_t page) const {
    return program_rate_ != 0 && drawn_to_fail(block, erases, page);
  }
  /// Numbers of the programs that trigger nand.failed_program and nand.die_failure_at; 0: none.
  std::uint64_t failed_program() const { return failed_program_; }
  std::uint64_t die_failure_at() const { return die_failure_at_; }
  std::uint32_t failed_die() const { return failed_die_; }
  /// Whether the block, once worn out, still succeeds in its erase, and fails in the next program.
  bool fails_in_program(std::uint32_t block) const;

 private:
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
  double log_survival_ = 0;          // of a P/E cycle without wear; 0: it always survives
  double chance_fails_program_ = 0;  // share of the random failures
  bool limited_ = false;
  std::uint32_t least_ = 0;           // the minimum of all limits
  std::uint32_t blocks_per_die_ = 0;  // in erase units
  std::uint32_t slc_blocks_ = 0;      // the first erase units of a die
  std::uint32_t slc_cycles_ = 0;
  bool programs_fail_ = false;
  double program_rate_ = 0;  // failure rate of each program, regardless of wear; 0: programs do not fail in mid-block
  double growth_ = 0;        // P/E cycles that double the rates
  double worn_before_ = 0;   // P/E cycles before the run
  std::uint64_t failed_program_ = 0;
  std::uint64_t die_failure_at_ = 0;
  std::uint32_t failed_die_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace flashloom
