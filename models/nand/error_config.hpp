// A device file's tables [nand.errors] and [nand.ecc]: bit errors of the cells, and the code that corrects them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// [nand.errors]. The raw bit error rate has the form, and by default the figures of 72-layer 3D TLC, of B. S. Kim,
/// J. Choi, S. L. Min, "Design tradeoffs for SSD reliability", FAST 2019: with c P/E cycles, an age of d days and r
/// reads of the block for each of its pages since the erase,
///   base + wear_factor c^wear_exponent + retention_factor c^retention_wear_exponent d^retention_exponent
///        + disturb_factor c^disturb_wear_exponent r^disturb_exponent.
struct BitErrorConfig {
  std::string model = "none";  ///< "none": no bit errors, and no decoding; "power_law": as above
  double base = 1.48e-3;
  double wear_factor = 3.90e-10;
  double wear_exponent = 2.05;
  double retention_factor = 6.28e-5;
  double retention_wear_exponent = 0.14;
  double retention_exponent = 0.54;
  double disturb_factor = 3.73e-9;
  double disturb_wear_exponent = 0.33;
  double disturb_exponent = 1.71;
  std::vector<double> page_factors = {1.0};  ///< multiply that rate, one a page type, lower page first; or one for all
  double slc_factor = 1;                     ///< multiplies the lower page's rate in pseudo-SLC mode (assumption)
  /// Multiplies a page's rate while its block is open (has unprogrammed pages). `open_word_lines`: applies to this
  /// number of word lines programmed last; 0: to all.
  double open_block_factor = 1;
  std::uint32_t open_word_lines = 0;
  std::uint32_t pe_cycles = 0;        ///< P/E cycles of every block before the run
  std::uint64_t retention_age = 0;    ///< s: age at the start of the timed run of data written before it
  double retention_temperature = 40;  ///< C, during that time
  double reference_temperature = 40;  ///< C, for retention_factor and retention_exponent
  double activation_energy = 1.1;     ///< eV, of the loss of charge (JEDEC JESD218, JESD22-A117)
  /// Read retry: share of the rate that remains at each level of read voltages, in the order of the levels.
  std::vector<double> retry_rates = {0.6, 0.4, 0.3, 0.25};
  Picoseconds retry_time = 0;  ///< added to tR of each read with other than the default voltages (Set Features)
  bool on() const { return model != "none"; }

  /// The keys of [nand.errors].
  template <class Keys>
  static void describe(Keys& keys) {
    constexpr double kMostAge = 100.0 * 365 * 86400;
    keys.shapes_state()
        .choice(
            "model", &BitErrorConfig::model, {"none", "power_law"},
            "bit errors of the cells: none (and no decoding), or base + wear + retention + read disturb, each a power "
            "law (Kim et al., FAST 2019)")
        .count("base", &BitErrorConfig::base, 0, 0.5, "raw bit error rate of fresh cells")
        .count("wear_factor", &BitErrorConfig::wear_factor, 0, 1, "of (P/E cycles)^wear_exponent")
        .count("wear_exponent", &BitErrorConfig::wear_exponent, 0, 10, "of the P/E cycles")
        .count("retention_factor", &BitErrorConfig::retention_factor, 0, 1,
               "of (P/E cycles)^retention_wear_exponent (days)^retention_exponent")
        .count("retention_wear_exponent", &BitErrorConfig::retention_wear_exponent, 0, 10,
               "of the P/E cycles, in retention")
        .count("retention_exponent", &BitErrorConfig::retention_exponent, 0, 10, "of the days of retention")
        .count("disturb_factor", &BitErrorConfig::disturb_factor, 0, 1,
               "of (P/E cycles)^disturb_wear_exponent (reads of the block a page)^disturb_exponent")
        .count("disturb_wear_exponent", &BitErrorConfig::disturb_wear_exponent, 0, 10,
               "of the P/E cycles, in read disturb")
        .count("disturb_exponent", &BitErrorConfig::disturb_exponent, 0, 10,
               "of the reads of the block since its erase, for each of its pages")
        .count("page_factors", &BitErrorConfig::page_factors, 0, 100,
               "of that rate; one a page type, lower page first, or one for all")
        .samples({"[1.0]", "[1.0, 2.0]"})
        .rare()
        .count("slc_factor", &BitErrorConfig::slc_factor, 0, 100,
               "of the lower page's rate, for pages in pseudo-SLC mode")
        .count("open_block_factor", &BitErrorConfig::open_block_factor, 0, 100,
               "of a page's rate while its block has pages that are not programmed; 1: none")
        .count("open_word_lines", &BitErrorConfig::open_word_lines, 0, 65536,
               "open_block_factor is of so many word lines, the last ones programmed; 0: of all")
        .common()
        .count("pe_cycles", &BitErrorConfig::pe_cycles, 0, 1e7, "P/E cycles of every block before the run")
        .key("retention_age", &BitErrorConfig::retention_age, Quantity::Age, {0, kMostAge},
             "age of the data that are there when the timed run begins; simulated time adds to it")
        .rare()
        .key("retention_temperature", &BitErrorConfig::retention_temperature, Quantity::Temperature, {-55, 150},
             "at which they were kept so long; the run itself: at that of the NAND with a thermal.model")
        .key("reference_temperature", &BitErrorConfig::reference_temperature, Quantity::Temperature, {-55, 150},
             "at which a day of retention is a day of the formula")
        .key("activation_energy", &BitErrorConfig::activation_energy, Quantity::ActivationEnergy, {0, 3},
             "of retention, by Arrhenius (JESD218: 1.1 eV); 0 eV: temperature does not matter")
        .common()
        .count(
            "retry_rates", &BitErrorConfig::retry_rates, 0, 1,
            "read retry: share of the rate that is left at each level of read voltages, in the order of trying; []: no "
            "retry")
        .samples({"[]", "[0.5]"})
        .rare()
        .time("retry_time", &BitErrorConfig::retry_time, 0,
              "beyond tR, of each read with other than the default voltages (Set Features)");
  }
};

/// [nand.ecc]: of the flash controllers; all but `frame` apply only if nand.errors.model is not "none".
struct EccConfig {
  /// Bytes of data that are read and decoded together: the minimum transfer of a smaller read. Rounded up to whole
  /// codewords with a model of bit errors; at most the mapping unit.
  std::uint32_t frame = 4096;
  std::uint32_t codeword = 1024;  ///< bytes of data a codeword; divides ftl.mapping_unit
  std::uint32_t parity = 126;     ///< bytes of parity a codeword
  std::uint32_t strength = 72;    ///< bit errors a codeword that hard decoding corrects
  /// From the end of data-out until the data are corrected, or known to be uncorrectable.
  Picoseconds decode_time = 20 * kMicrosecond;
  double decode_energy = 0;           ///< J a codeword
  std::uint32_t soft_reads = 3;       ///< array reads for soft decoding, after the last retry level; 0: none
  std::uint32_t soft_strength = 110;  ///< bit errors a codeword that soft decoding corrects
  Picoseconds soft_decode_time = 80 * kMicrosecond;
  double soft_decode_energy = 0;  ///< J a codeword

  /// The keys of [nand.ecc].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .key("frame", &EccConfig::frame, Quantity::Bytes, {512, 1 << 20},
             "data that are read and decoded together, whole codewords: what a read of less than a mapping unit moves; "
             "beyond ftl.mapping_unit: the whole unit")
        .key("codeword", &EccConfig::codeword, Quantity::Bytes, {64, 65536},
             "data of a codeword; divides ftl.mapping_unit")
        .key("parity", &EccConfig::parity, Quantity::Bytes, {0, 16384}, "parity of a codeword")
        .count("strength", &EccConfig::strength, 1, 4096, "bit errors a codeword that hard decoding corrects")
        .time("decode_time", &EccConfig::decode_time, 0,
              "hard decoding: from the end of data-out until the data are corrected, or known not to be")
        .rare()
        .key("decode_energy", &EccConfig::decode_energy, Quantity::Energy, {0, 1}, "hard decoding of a codeword")
        .common()
        .count("soft_reads", &EccConfig::soft_reads, 0, 16,
               "array reads for soft decoding, behind the last level of read retry; 0: no soft decoding")
        .count("soft_strength", &EccConfig::soft_strength, 1, 4096, "bit errors a codeword that soft decoding corrects")
        .time("soft_decode_time", &EccConfig::soft_decode_time, 0, "soft decoding of what was read")
        .rare()
        .key("soft_decode_energy", &EccConfig::soft_decode_energy, Quantity::Energy, {0, 1},
             "soft decoding of a codeword");
  }
};

}  // namespace flashloom
