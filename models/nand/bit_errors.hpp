// Bit errors of the cells: their rate by wear, age, read disturb and page type, and the errors that a read finds in the
// worst of its codewords.
//
// Rate: BitErrorConfig has the formula and its source; a read at a retry level finds the share of it given by
// nand.errors.retry_rates. Number: binomial over the bits of a codeword, parity included. Each codeword's quantile of
// that distribution is drawn once per program of its block, from (seed, page, erase count, codeword): a page read again
// at the same rate has the same errors, at a higher rate more, at a better level of read voltages fewer. So the result
// does not depend on the order of reads, except for read disturb within a block.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/nand/error_config.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_variation.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct NandConfig;

/// Smallest k with P(at most k of n) >= u, for n trials of probability p; u in [0, 1), to about 1e-12 of u.
std::uint32_t binomial_quantile(std::uint32_t n, double p, double u);

class BitErrors {
 public:
  BitErrors(const NandConfig& config, const NandGeometry& geometry, std::uint64_t seed);

  /// Raw bit error rate with the default read voltages, at most 0.5, without nand.variation. `cycles`: P/E cycles;
  /// `reads_per_page`: reads of the block since its erase, divided by its pages; `page`: number in the erase unit,
  /// which gives its type; beyond the last page: any page in pseudo-SLC mode.
  double rate(double cycles, double days, double reads_per_page, std::uint32_t page) const;
  /// Share of the rate that a read at this retry level finds.
  double share(std::uint32_t level) const {
    return level == 0 || shares_.empty() ? 1 : shares_[level <= shares_.size() ? level - 1 : shares_.size() - 1];
  }

  /// From now on data programmed before the timed run are nand.errors.retention_age old, instead of new.
  void begin_aging() { aged_ = true; }

  /// Since the last call the cells have aged by `aged`; from `at` on they age `factor` times as fast as time passes.
  void age(Picoseconds at, double aged, double factor);

  /// A read of programmed cells of block number `block` of the device, with `erases` erases and a wear of `cycles`, in
  /// pseudo-SLC mode or not: sets command.bit_errors, as of command.at.complete (0 without a clock). `programmed`:
  /// programmed pages of an open block; else 0.
  void read(OnfiCommand& command, std::uint32_t block, std::uint32_t erases, std::uint32_t cycles, bool slc,
            std::uint32_t programmed = 0);
  /// Whether reads of open blocks find more errors than others.
  bool open_matters() const { return config_.open_block_factor != 1; }
  /// A read of erased cells, which disturbs the block, too.
  void disturb(std::uint32_t block) { ++blocks_[block].reads; }
  /// The first program of a block since its erase, at `at`; 0: before the timed run.
  void programmed(std::uint32_t block, Picoseconds at) { blocks_[block].programmed = age_at(at); }
  void erased(std::uint32_t block) { blocks_[block] = {}; }

  /// Reads of a block since its erase.
  std::uint64_t reads(std::uint32_t block) const { return blocks_[block].reads; }
  /// Codewords read with the default voltages, by number of errors; the last bin: more than hard decoding corrects.
  const std::vector<std::uint64_t>& histogram() const { return histogram_; }
  void reset_statistics() { histogram_.assign(histogram_.size(), 0); }

  template <class Archive>
  void state(Archive& archive) {
    archive(histogram_);
    archive.table(blocks_.data(), blocks_.size());
  }

 private:
  struct BlockHistory {
    std::uint64_t reads = 0;
    Picoseconds programmed = 0;
  };
  /// Age of the cells at `at` since time 0; with temperatures, in time accelerated by the Arrhenius factor.
  Picoseconds age_at(Picoseconds at) const { return temperatures_ ? warm_age_at(at) : at; }
  Picoseconds warm_age_at(Picoseconds at) const;
  double age_in_days(std::uint32_t block, Picoseconds now) const;
  double open_factor(std::uint32_t page, bool slc, std::uint32_t programmed) const;

  BitErrorConfig config_;
  std::vector<double> shares_;             // rate left by each retry level, by level - 1
  std::vector<double> page_factors_;       // by page of an erase unit
  std::vector<std::uint32_t> word_lines_;  // by page, if open_word_lines is set; then of SLC mode
  std::uint32_t pages_;
  std::uint32_t slc_pages_;
  std::uint32_t codeword_;  // bytes
  std::uint32_t codewords_per_page_;
  std::uint32_t bits_;  // of a codeword
  double old_days_;     // retention_age, converted to the reference temperature
  std::uint64_t seed_;
  VariationFactor variation_;
  bool aged_ = false;
  bool temperatures_ = false;  // age() was called
  Picoseconds told_at_ = 0;
  double told_age_ = 0;  // ps
  double factor_ = 1;
  std::vector<BlockHistory> blocks_;
  std::vector<std::uint64_t> histogram_;
};

}  // namespace flashloom
