#include "models/nand/block_endurance.hpp"

#include <algorithm>
#include <cmath>

#include "models/common/split_mix.hpp"
#include "models/nand/nand_config.hpp"

namespace flashloom {
namespace {

// Uniform numbers in [0, 1).
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : seed_(seed) {}
  double next() { return static_cast<double>(split_mix(seed_, drawn_++) >> 11) * 0x1p-53; }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

constexpr std::uint64_t kBlockStep = 0xD1B54A32D192ED03;  // spreads seeds of neighbouring blocks
constexpr std::uint64_t kOfChance = 0x72616e646f6d2020;   // separates these draws from others of the same seed
constexpr std::uint64_t kOfFactory = 0x666163746f727920;
constexpr std::uint64_t kOfPrograms = 0x70726f6772616d20;
constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};
constexpr double kLongest = 4e9;

/// Erase units of a die, from blocks of a plane.
std::uint32_t blocks_of_die(const NandConfig& config, std::uint32_t blocks) {
  return config.multi_plane_program ? blocks : blocks * config.planes;
}

}  // namespace

BlockEndurance::BlockEndurance(const NandConfig& config, std::uint64_t seed)
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

std::uint32_t BlockEndurance::least(const NandConfig& config) {
  std::uint32_t cycles = config.endurance;
  if (config.slc_endurance != 0 && (cycles == 0 || config.slc_endurance < cycles)) cycles = config.slc_endurance;
  return static_cast<std::uint32_t>(std::max(1.0, std::floor(cycles * (1 - 6 * config.endurance_deviation))));
}

void BlockEndurance::draw_random_failures(const NandConfig& config) {
  const double programs = static_cast<double>(config.pages) / config.pages_per_program;
  // Log of the probability that all programs of a cycle succeed.
  const double of_programs = program_rate_ != 0 ? 0 : programs * std::log1p(-config.program_failure_rate);
  log_survival_ = std::log1p(-config.erase_failure_rate) + of_programs;
  if (log_survival_ == 0) return;
  const double program_fails = -std::expm1(of_programs);
  chance_fails_program_ = program_fails / (program_fails + config.erase_failure_rate);
}

std::uint32_t BlockEndurance::limit_of_wear(std::uint32_t block) const {
  const std::uint32_t cycles = cycles_of(block);
  if (cycles == 0) return kUnlimited;
  if (deviation_ == 0) return cycles;
  // The sum of twelve uniform numbers is nearly normal, of variance 1, and has no tails beyond 6 deviations.
  Uniform uniform(seed_ + (std::uint64_t{block} + 1) * kBlockStep);
  double normal = -6;
  for (int i = 0; i < 12; ++i) normal += uniform.next();
  return static_cast<std::uint32_t>(std::max(1.0, std::round(cycles * (1 + deviation_ * normal))));
}

// Geometric: cycles survived before the first failure. With rates growing by the share c / growth after c cycles, the
// n-th cycle from c0 on counts (1 + (c0 + n) / growth) times: solves their sum for n.
std::uint32_t BlockEndurance::limit_of_chance(std::uint32_t block) const {
  if (log_survival_ == 0) return kUnlimited;
  const double u = Uniform((seed_ ^ kOfChance) + (std::uint64_t{block} + 1) * kBlockStep).next();
  double cycles = std::log1p(-u) / log_survival_;
  if (growth_ != 0) {
    const double before = 1 + worn_before_ / growth_;
    cycles = growth_ * (std::sqrt(before * before + 2 * cycles / growth_) - before);
  }
  return static_cast<std::uint32_t>(std::min(std::floor(cycles), kLongest));
}

bool BlockEndurance::drawn_bad(std::uint32_t block) const {
  return Uniform((seed_ ^ kOfFactory) + (std::uint64_t{block} + 1) * kBlockStep).next() < factory_bad_;
}

bool BlockEndurance::drawn_to_fail(std::uint32_t block, std::uint32_t erases, std::uint32_t page) const {
  const double rate = growth_ == 0 ? program_rate_ : program_rate_ * (1 + (worn_before_ + erases) / growth_);
  const std::uint64_t cycle = split_mix((seed_ ^ kOfPrograms) + (std::uint64_t{block} + 1) * kBlockStep, erases);
  return Uniform(cycle + (std::uint64_t{page} + 1) * kBlockStep).next() < rate;
}

bool BlockEndurance::fails_in_program(std::uint32_t block) const {
  const double share = limit_of_chance(block) < limit_of_wear(block) ? chance_fails_program_ : program_failures_;
  return share != 0 && Uniform(~seed_ + (std::uint64_t{block} + 1) * kBlockStep).next() < share;
}

}  // namespace flashloom
