// What a device file's tables [nand.errors] and [nand.ecc] say: bit errors of the cells, and the code that corrects
// them.
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
  std::vector<double> page_factors = {1.0};  ///< of that rate, one a page type, lower page first; or one for all
  double slc_factor = 1;                     ///< of the lower page's rate, for pages in pseudo-SLC mode (assumption)
  /// Of a page's rate while its block is open: has pages that are not programmed. `open_word_lines`: of the last word
  /// lines programmed, so many; 0: of all.
  double open_block_factor = 1;
  std::uint32_t open_word_lines = 0;
  std::uint32_t pe_cycles = 0;               ///< P/E cycles of every block before the run
  std::uint64_t retention_age = 0;           ///< s: how old data are that are there when the timed run begins
  double retention_temperature = 40;         ///< C, at which they were kept
  double reference_temperature = 40;         ///< C, of retention_factor and retention_exponent
  double activation_energy = 1.1;            ///< eV, of the loss of charge (JEDEC JESD218, JESD22-A117)
  /// Read retry: share of the rate that each level of read voltages leaves, in the order in which they are tried.
  std::vector<double> retry_rates = {0.6, 0.4, 0.3, 0.25};
  Picoseconds retry_time = 0;  ///< beyond tR, of each read with other than the default voltages (Set Features)
  bool on() const { return model != "none"; }
};

/// [nand.ecc]: of the flash controllers; but for `frame` with nand.errors.model other than "none".
struct EccConfig {
  /// Bytes of data that are read and decoded together: so much of a mapping unit is moved of which less is wanted.
  /// Rounded up to whole codewords with a model of bit errors; at most the mapping unit.
  std::uint32_t frame = 4096;
  std::uint32_t codeword = 1024;  ///< bytes of data a codeword; divides ftl.mapping_unit
  std::uint32_t parity = 126;     ///< bytes of parity a codeword
  std::uint32_t strength = 72;    ///< bit errors a codeword that hard decoding corrects
  /// From the end of data-out until the data are corrected, or known lost.
  Picoseconds decode_time = 20 * kMicrosecond;
  double decode_energy = 0;           ///< J a codeword
  std::uint32_t soft_reads = 3;       ///< array reads behind the last retry level for soft decoding; 0: none
  std::uint32_t soft_strength = 110;  ///< bit errors a codeword that soft decoding corrects
  Picoseconds soft_decode_time = 80 * kMicrosecond;
  double soft_decode_energy = 0;  ///< J a codeword
};

}  // namespace flashloom
