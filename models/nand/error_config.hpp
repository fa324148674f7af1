// A device file's tables [nand.errors] and [nand.ecc]: bit errors of the cells, and the code that corrects them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
};

}  // namespace flashloom
