#include "models/nand/bit_errors.hpp"

#include <algorithm>
#include <cmath>

#include "models/common/arrhenius.hpp"
#include "models/common/split_mix.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/page_order.hpp"

namespace flashloom {
namespace {

constexpr double kPicosecondsADay = 86400e12;
constexpr double kSecondsADay = 86400;
constexpr double kMostAge = 9e18;     // ps, 104 days: limit of the 64-bit count
constexpr double kHighestRate = 0.5;  // cells without any information left

double uniform(std::uint64_t seed, std::uint64_t n) { return static_cast<double>(split_mix(seed, n) >> 11) * 0x1p-53; }

// The cumulative distribution from its first relevant value upwards; shared by all codewords of a page.
class BinomialQuantile {
 public:
  BinomialQuantile(std::uint32_t n, double p) : n_(n), mean_(n * p), odds_(p / (1 - p)) {
    constexpr double kDeviations = 10;  // probability below: 1e-23
    const double low = std::floor(mean_ - kDeviations * std::sqrt(mean_ * (1 - p)));
    if (low <= 0) {
      at_first_ = std::exp(n * std::log1p(-p));
      return;
    }
    // In units of the first value's mass, up to the total mass: more exact than log-factorials.
    first_ = static_cast<std::uint32_t>(low);
    double mass = 1;
    double sum = mass;
    for (std::uint32_t k = first_; k < n_ && (k < mean_ || sum + mass != sum); ++k) sum += mass = next(mass, k);
    at_first_ = 1 / sum;
  }

  std::uint32_t operator()(double u) const {
    std::uint32_t k = first_;
    double mass = at_first_;
    double sum = mass;
    while (sum < u && k < n_) {
      mass = next(mass, k++);
      if (sum + mass == sum && k > mean_) break;  // u lies within the rounding error
      sum += mass;
    }
    return k;
  }

 private:
  double next(double mass, std::uint32_t k) const {
    return mass * (static_cast<double>(n_ - k) / static_cast<double>(k + 1) * odds_);
  }

  std::uint32_t n_;
  double mean_;
  double odds_;
  std::uint32_t first_ = 0;
  double at_first_ = 0;
};

}  // namespace

std::uint32_t binomial_quantile(std::uint32_t n, double p, double u) {
  if (p <= 0) return 0;
  if (p >= 1) return n;
  return BinomialQuantile(n, p)(u);
}

BitErrors::BitErrors(const NandConfig& config, const NandGeometry& geometry, std::uint64_t seed)
    : config_(config.errors),
      shares_(config.errors.retry_rates),
      pages_(geometry.pages),
      slc_pages_(geometry.slc_pages),
      codeword_(config.ecc.codeword),
      codewords_per_page_(geometry.page_bytes / config.ecc.codeword),
      bits_((config.ecc.codeword + config.ecc.parity) * 8),
      old_days_(static_cast<double>(config.errors.retention_age) / kSecondsADay *
                arrhenius(config.errors.activation_energy, config.errors.reference_temperature,
                          config.errors.retention_temperature)),
      seed_(split_mix(seed, 0x6269746572726f72)),  // separates these draws from others of the device's seed
      variation_(error_variation(config, geometry)),
      blocks_(std::size_t{geometry.dies} * geometry.blocks),
      histogram_(config.ecc.strength + 2) {
  const auto types = static_cast<std::uint32_t>(config.errors.page_factors.size());
  const PageOrder order(config.pages, types, config.page_order == "shadow");
  for (std::uint32_t page = 0; page < geometry.pages; ++page)
    page_factors_.push_back(config.errors.page_factors[order.of(geometry.page_in_block(Page{page})).type]);
  page_factors_.push_back(config.errors.page_factors.front() * config.errors.slc_factor);
  if (config_.open_block_factor == 1 || config_.open_word_lines == 0) return;
  const PageOrder cells(config.pages, config.bits_a_cell(), config.page_order == "shadow");
  for (std::uint32_t page = 0; page < pages_; ++page)
    word_lines_.push_back(cells.of(geometry.page_in_block(Page{page})).word_line);
  for (std::uint32_t page = 0; page < pages_; ++page) word_lines_.push_back(geometry.page_in_block(Page{page}));
}

double BitErrors::open_factor(std::uint32_t page, bool slc, std::uint32_t programmed) const {
  if (programmed == 0 || config_.open_block_factor == 1) return 1;
  if (word_lines_.empty()) return config_.open_block_factor;
  const std::uint32_t* const word_lines = word_lines_.data() + (slc ? pages_ : 0);
  return word_lines[page] + config_.open_word_lines > word_lines[programmed - 1] ? config_.open_block_factor : 1;
}

double BitErrors::rate(double cycles, double days, double reads_per_page, std::uint32_t page) const {
  const BitErrorConfig& c = config_;
  double rate = c.base;
  if (c.wear_factor != 0) rate += c.wear_factor * std::pow(cycles, c.wear_exponent);
  if (c.retention_factor != 0 && days != 0)
    rate += c.retention_factor * std::pow(cycles, c.retention_wear_exponent) * std::pow(days, c.retention_exponent);
  if (c.disturb_factor != 0 && reads_per_page != 0)
    rate += c.disturb_factor * std::pow(cycles, c.disturb_wear_exponent) * std::pow(reads_per_page, c.disturb_exponent);
  return std::min(rate * page_factors_[page], kHighestRate);
}

void BitErrors::age(Picoseconds at, double aged, double factor) {
  temperatures_ = true;
  told_age_ += aged;
  told_at_ = at;
  factor_ = factor;
}

// At least 1: 0 stands for data from before the timed run.
Picoseconds BitErrors::warm_age_at(Picoseconds at) const {
  if (at == 0) return 0;
  const double since = static_cast<double>(static_cast<std::int64_t>(at - told_at_));
  return static_cast<Picoseconds>(std::clamp(told_age_ + factor_ * since, 1.0, kMostAge));
}

double BitErrors::age_in_days(std::uint32_t block, Picoseconds now) const {
  const Picoseconds since = blocks_[block].programmed;
  const double old = since == 0 && aged_ ? old_days_ : 0;
  now = age_at(now);
  return old + static_cast<double>(now > since ? now - since : 0) / kPicosecondsADay;
}

void BitErrors::read(OnfiCommand& command, std::uint32_t block, std::uint32_t erases, std::uint32_t cycles, bool slc,
                     std::uint32_t programmed) {
  const std::uint64_t reads = blocks_[block].reads;
  if (!command.in_register) ++blocks_[block].reads;
  command.bit_errors = 0;
  if (command.spare_only || command.bytes == 0) return;
  const std::uint32_t page = command.address.page.value();
  double rate_here = rate(static_cast<double>(config_.pe_cycles) + cycles, age_in_days(block, command.at.complete),
                          static_cast<double>(reads) / (slc ? slc_pages_ : pages_), slc ? pages_ : page);
  if (variation_.on()) [[unlikely]]
    rate_here = std::min(rate_here * variation_.at(command.address, slc), kHighestRate);
  if (programmed != 0) [[unlikely]]
    rate_here = std::min(rate_here * open_factor(page, slc, programmed), kHighestRate);
  rate_here *= share(command.retry);
  const std::uint32_t codewords = command.bytes / codeword_;
  if (rate_here <= 0) {
    if (command.retry == 0) histogram_[0] += codewords;
    return;
  }
  const BinomialQuantile quantile(bits_, rate_here);
  const std::uint64_t of_block = split_mix(seed_ + block, erases);
  const std::uint64_t first = std::uint64_t{page} * codewords_per_page_ + command.from / codeword_;
  std::uint32_t most = 0;
  for (std::uint32_t codeword = 0; codeword < codewords; ++codeword) {
    const std::uint32_t errors = quantile(uniform(of_block, first + codeword));
    most = std::max(most, errors);
    if (command.retry == 0) ++histogram_[std::min<std::size_t>(errors, histogram_.size() - 1)];
  }
  command.bit_errors = static_cast<std::uint16_t>(std::min<std::uint32_t>(most, 0xffff));
}

}  // namespace flashloom
