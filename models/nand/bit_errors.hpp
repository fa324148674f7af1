// Bit errors of the cells: their rate by wear, age, read disturb and page type, and how many a read finds in the worst
// of its codewords.
//
// Rate: BitErrorConfig has the formula and its source. Of a read at level n of read voltages it is what
// nand.errors.retry_rates says. Number: binomial over the bits of a codeword, parity included. Which quantile of that
// distribution a codeword has is drawn once for each time that its block is programmed, from (seed, page, erase count,
// codeword): a page that is read again with the same rate has the same errors, one whose rate grows has more, at a
// better level of read voltages it has fewer. So the result does not depend on the order in which pages are read, but
// for the reads of a block that disturb each other.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_variation.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Smallest k with P(at most k of n) >= u, each of the n with probability p: u of [0, 1), to about 1e-12 of u.
std::uint32_t binomial_quantile(std::uint32_t n, double p, double u);

class BitErrors {
 public:
  BitErrors(const NandConfig& config, const NandGeometry& geometry, std::uint64_t seed);

  /// Raw bit error rate with the default read voltages, at most 0.5, of a place without nand.variation. `cycles`: P/E
  /// cycles; `reads_per_page`: of the block since its erase, over its pages; `page`: of an erase unit, for its type;
  /// behind the last one: any page in pseudo-SLC mode.
  double rate(double cycles, double days, double reads_per_page, std::uint32_t page) const;
  /// The share of it that a read at this level finds.
  double share(std::uint32_t level) const {
    return level == 0 || shares_.empty() ? 1 : shares_[level <= shares_.size() ? level - 1 : shares_.size() - 1];
  }

  /// From now on what was programmed before time began is nand.errors.retention_age old, and not new.
  void begin_aging() { aged_ = true; }

  /// Since they were last told, cells have aged `aged` and from `at` on age `factor` times as fast as time goes.
  void age(Picoseconds at, double aged, double factor);

  /// A read of programmed cells of block number `block` of the device, erased `erases` times, which wore it as `cycles`
  /// do; in pseudo-SLC mode or not: sets command.bit_errors. At command.at.complete, 0 without a clock. `programmed`:
  /// pages, of a block that is open; else 0.
  void read(OnfiCommand& command, std::uint32_t block, std::uint32_t erases, std::uint32_t cycles, bool slc,
            std::uint32_t programmed = 0);
  /// Reads of open blocks see more errors than others.
  bool open_matters() const { return config_.open_block_factor != 1; }
  /// A read of cells that are not programmed disturbs, too.
  void disturb(std::uint32_t block) { ++blocks_[block].reads; }
  /// The first program of a block since its erase, at `at`; 0: before time began.
  void programmed(std::uint32_t block, Picoseconds at) { blocks_[block].programmed = age_at(at); }
  void erased(std::uint32_t block) { blocks_[block] = {}; }

  /// Of a block since its erase.
  std::uint64_t reads(std::uint32_t block) const { return blocks_[block].reads; }
  /// Codewords read with the default voltages by their number of errors; the last: more than hard decoding corrects.
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
  /// What the cells have aged at `at` since time began; with temperatures time goes as fast as Arrhenius says.
  Picoseconds age_at(Picoseconds at) const { return temperatures_ ? warm_age_at(at) : at; }
  Picoseconds warm_age_at(Picoseconds at) const;
  double age_in_days(std::uint32_t block, Picoseconds now) const;
  double open_factor(std::uint32_t page, bool slc, std::uint32_t programmed) const;

  BitErrorConfig config_;
  std::vector<double> shares_;        // of read retry, by level - 1
  std::vector<double> page_factors_;  // by page of an erase unit
  std::vector<std::uint32_t> word_lines_;  // by page, where some of them are apart; then of SLC mode
  std::uint32_t pages_;
  std::uint32_t slc_pages_;
  std::uint32_t codeword_;  // bytes
  std::uint32_t codewords_per_page_;
  std::uint32_t bits_;  // of a codeword
  double old_days_;     // what retention_age is at the reference temperature
  std::uint64_t seed_;
  VariationFactor variation_;
  bool aged_ = false;
  bool temperatures_ = false;  // age() was called:
  Picoseconds told_at_ = 0;
  double told_age_ = 0;  // ps
  double factor_ = 1;
  std::vector<BlockHistory> blocks_;
  std::vector<std::uint64_t> histogram_;
};

}  // namespace flashloom
