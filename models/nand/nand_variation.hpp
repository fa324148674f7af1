// Process variation: factors by place for array times and for the bit error rate.
//
// A factor is the product of three log-normal ones, of its die, its block of a plane, and its layer, each drawn once
// from nand.variation.seed and the place, with mean 1: exp(s z - s^2 / 2) for a standard normal z. So a time of [nand]
// is the mean over a production. z is cut off at kMostDeviations (6 in 100,000 draws lie beyond), so that the longest
// time is known in advance. The layer's factor is the same in all blocks of a device: layers differ in the width of the
// etched channel at their height. Word lines of one layer are alike.
//
// That layers, blocks and chips differ and word lines of a layer do not: Shim et al., "Exploiting process similarity of
// 3D flash memory for high performance SSDs", MICRO 2019; layers' error rates: Luo et al., "Improving 3D NAND flash
// memory lifetime by tolerating early retention loss and process variation", SIGMETRICS 2018; blocks' program and erase
// times: Tseng, Chen and Yang, "Are superpages super-fast?", HPCA 2024. Log-normal, and that the four quantities and
// the three levels are independent, are assumptions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/variation_config.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct NandConfig;

/// Factors of one quantity.
class VariationFactor {
 public:
  static constexpr double kMostDeviations = 4;

  /// A factor of 1 everywhere.
  VariationFactor() = default;
  /// `deviations`: a member of config.variation. `stream`: makes the draws independent of other quantities'.
  VariationFactor(const Deviations& deviations, std::uint64_t stream, const NandConfig& config,
                  const NandGeometry& geometry);

  bool on() const { return on_; }
  /// Factor of a page on its plane. `slc`: the block is in pseudo-SLC mode, with one page a word line. 1 for a page
  /// that does not exist.
  double at(const FlashAddress& address, bool slc) const;
  /// Factor of the page's program unit: that of its slowest plane.
  double slowest(const FlashAddress& address, bool slc) const {
    return slowest_block(address.die, address.block) * layer(address.page, slc);
  }
  /// Factor of an erase unit without the layer: die times the block of the slowest plane.
  double slowest_block(Die die, Block block) const;
  double layer(Page page, bool slc) const {
    const std::vector<double>& layers = slc ? slc_layers_ : layers_;
    return page.value() < layers.size() ? layers[page.value()] : 1;
  }

  /// Bounds of the factor, whatever is drawn.
  static double least(const Deviations& deviations) { return bound(deviations, -kMostDeviations); }
  static double most(const Deviations& deviations) { return bound(deviations, kMostDeviations); }
  static Picoseconds longest(Picoseconds mean, const Deviations& deviations) {
    return static_cast<Picoseconds>(std::ceil(static_cast<double>(mean) * most(deviations)));
  }

 private:
  static double bound(const Deviations& d, double z) {
    return std::exp(z * (d.die + d.block + d.layer) - (d.die * d.die + d.block * d.block + d.layer * d.layer) / 2);
  }
  double of_die(Die die) const { return die.value() < dies_.size() ? dies_[die.value()] : 1; }

  bool on_ = false;
  std::uint32_t planes_ = 1;  // of an erase unit
  std::uint32_t blocks_per_die_ = 0;
  std::vector<double> dies_;
  std::vector<double> blocks_;           // by erase unit of the device and plane of it; empty: 1
  std::vector<double> layers_;           // by page of an erase unit; empty: 1
  std::vector<double> slc_layers_;       // the same in pseudo-SLC mode
  std::vector<std::uint16_t> plane_of_;  // by page of an erase unit
};

/// Factors of array times.
struct TimeVariation {
  VariationFactor program, erase, read;
  TimeVariation(const NandConfig& config, const NandGeometry& geometry);
};
/// Factor of the raw bit error rate.
VariationFactor error_variation(const NandConfig& config, const NandGeometry& geometry);

/// Number of layers of a block: nand.variation.layers, or one a word line.
std::uint32_t layers_of(const NandConfig& config);
std::uint32_t word_lines_of(const NandConfig& config);

/// Times that the manufacturer's test measures to erase and to fill each erase unit, and records on the drive beside
/// the marks of bad blocks. By number in the device; empty: all alike. The test averages over a block's program units,
/// so the times do not include the spread of single programs (nand.program_time_spread).
std::vector<Picoseconds> tested_block_times(const NandConfig& config, const NandGeometry& geometry);

}  // namespace flashloom
