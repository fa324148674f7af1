// The keys of [nand.errors] and [nand.ecc].
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_errors(std::vector<ConfigKey>& keys) {
  constexpr double kMostAge = 100.0 * 365 * 86400;
  TableBuilder(keys, "nand.errors")
      .choice(
          "model", FLASHLOOM_MEMBER(nand.errors.model), {"none", "power_law"},
          "bit errors of the cells: none (and no decoding), or base + wear + retention + read disturb, each a power "
          "law (Kim et al., FAST 2019)")
      .count("base", FLASHLOOM_MEMBER(nand.errors.base), 0, 0.5, "raw bit error rate of fresh cells")
      .count("wear_factor", FLASHLOOM_MEMBER(nand.errors.wear_factor), 0, 1, "of (P/E cycles)^wear_exponent")
      .count("wear_exponent", FLASHLOOM_MEMBER(nand.errors.wear_exponent), 0, 10, "of the P/E cycles")
      .count("retention_factor", FLASHLOOM_MEMBER(nand.errors.retention_factor), 0, 1,
             "of (P/E cycles)^retention_wear_exponent (days)^retention_exponent")
      .count("retention_wear_exponent", FLASHLOOM_MEMBER(nand.errors.retention_wear_exponent), 0, 10,
             "of the P/E cycles, in retention")
      .count("retention_exponent", FLASHLOOM_MEMBER(nand.errors.retention_exponent), 0, 10, "of the days of retention")
      .count("disturb_factor", FLASHLOOM_MEMBER(nand.errors.disturb_factor), 0, 1,
             "of (P/E cycles)^disturb_wear_exponent (reads of the block a page)^disturb_exponent")
      .count("disturb_wear_exponent", FLASHLOOM_MEMBER(nand.errors.disturb_wear_exponent), 0, 10,
             "of the P/E cycles, in read disturb")
      .count("disturb_exponent", FLASHLOOM_MEMBER(nand.errors.disturb_exponent), 0, 10,
             "of the reads of the block since its erase, for each of its pages")
      .count("page_factors", FLASHLOOM_MEMBER(nand.errors.page_factors), 0, 100,
             "of that rate; one a page type, lower page first, or one for all")
      .count("slc_factor", FLASHLOOM_MEMBER(nand.errors.slc_factor), 0, 100,
             "of the lower page's rate, for pages in pseudo-SLC mode")
      .count("open_block_factor", FLASHLOOM_MEMBER(nand.errors.open_block_factor), 0, 100,
             "of a page's rate while its block has pages that are not programmed; 1: none")
      .count("open_word_lines", FLASHLOOM_MEMBER(nand.errors.open_word_lines), 0, 65536,
             "open_block_factor is of so many word lines, the last ones programmed; 0: of all")
      .count("pe_cycles", FLASHLOOM_MEMBER(nand.errors.pe_cycles), 0, 1e7, "P/E cycles of every block before the run")
      .key("retention_age", FLASHLOOM_MEMBER(nand.errors.retention_age), Quantity::Age, {0, kMostAge},
           "age of the data that are there when the timed run begins; simulated time adds to it")
      .key("retention_temperature", FLASHLOOM_MEMBER(nand.errors.retention_temperature), Quantity::Temperature,
           {-55, 150}, "at which they were kept so long; the run itself: at that of the NAND with a thermal.model")
      .key("reference_temperature", FLASHLOOM_MEMBER(nand.errors.reference_temperature), Quantity::Temperature,
           {-55, 150}, "at which a day of retention is a day of the formula")
      .key("activation_energy", FLASHLOOM_MEMBER(nand.errors.activation_energy), Quantity::ActivationEnergy, {0, 3},
           "of retention, by Arrhenius (JESD218: 1.1 eV); 0 eV: temperature does not matter")
      .count(
          "retry_rates", FLASHLOOM_MEMBER(nand.errors.retry_rates), 0, 1,
          "read retry: share of the rate that is left at each level of read voltages, in the order of trying; []: no "
          "retry")
      .time("retry_time", FLASHLOOM_MEMBER(nand.errors.retry_time), 0,
            "beyond tR, of each read with other than the default voltages (Set Features)");
  TableBuilder(keys, "nand.ecc")
      .key("frame", FLASHLOOM_MEMBER(nand.ecc.frame), Quantity::Bytes, {512, 1 << 20},
           "data that are read and decoded together, whole codewords: what a read of less than a mapping unit moves; "
           "beyond ftl.mapping_unit: the whole unit")
      .key("codeword", FLASHLOOM_MEMBER(nand.ecc.codeword), Quantity::Bytes, {64, 65536},
           "data of a codeword; divides ftl.mapping_unit")
      .key("parity", FLASHLOOM_MEMBER(nand.ecc.parity), Quantity::Bytes, {0, 16384}, "parity of a codeword")
      .count("strength", FLASHLOOM_MEMBER(nand.ecc.strength), 1, 4096,
             "bit errors a codeword that hard decoding corrects")
      .time("decode_time", FLASHLOOM_MEMBER(nand.ecc.decode_time), 0,
            "hard decoding: from the end of data-out until the data are corrected, or known not to be")
      .key("decode_energy", FLASHLOOM_MEMBER(nand.ecc.decode_energy), Quantity::Energy, {0, 1},
           "hard decoding of a codeword")
      .count("soft_reads", FLASHLOOM_MEMBER(nand.ecc.soft_reads), 0, 16,
             "array reads for soft decoding, behind the last level of read retry; 0: no soft decoding")
      .count("soft_strength", FLASHLOOM_MEMBER(nand.ecc.soft_strength), 1, 4096,
             "bit errors a codeword that soft decoding corrects")
      .time("soft_decode_time", FLASHLOOM_MEMBER(nand.ecc.soft_decode_time), 0, "soft decoding of what was read")
      .key("soft_decode_energy", FLASHLOOM_MEMBER(nand.ecc.soft_decode_energy), Quantity::Energy, {0, 1},
           "soft decoding of a codeword");
}

}  // namespace flashloom
