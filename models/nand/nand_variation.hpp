// Process variation: what an array time, or the bit error rate, of a place is multiplied by.
//
// A factor is the product of three log-normal ones, of its die, its block of a plane, and its layer, each drawn once
// from nand.variation.seed and the place, with mean 1: exp(s z - s^2 / 2) for a standard normal z. So a time of [nand]
// is the mean over a production. z is cut off at kMostDeviations (6 in 100,000 draws lie beyond), so that the longest
// time is known before anything is drawn. The layer's factor is the same in all blocks of a device: what differs
// between layers is how wide the etched channel is at that height. Word lines of one layer are alike.
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
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Of one quantity.
class VariationFactor {
 public:
  static constexpr double kMostDeviations = 4;

  /// 1 everywhere.
  VariationFactor() = default;
  /// `deviations`: a member of config.variation. `stream`: sets its draws apart from other quantities' of the seed.
  VariationFactor(const Deviations& deviations, std::uint64_t stream, const NandConfig& config,
                  const NandGeometry& geometry);

  bool on() const { return on_; }
  /// Of a page, of the plane that it is on. `slc`: of a block in pseudo-SLC mode, a page a word line. 1 for what does
  /// not exist.
  double at(const FlashAddress& address, bool slc) const;
  /// Of the page's program unit: the slowest of the planes that it is on.
  double slowest(const FlashAddress& address, bool slc) const {
    return slowest_block(address.die, address.block) * layer(address.page, slc);
  }
  /// Of an erase unit but for the layer: die times the slowest plane's block.
  double slowest_block(Die die, Block block) const;
  double layer(Page page, bool slc) const {
    const std::vector<double>& layers = slc ? slc_layers_ : layers_;
    return page.value() < layers.size() ? layers[page.value()] : 1;
  }

  /// Between what it lies, whatever is drawn.
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
  std::vector<double> blocks_;      // by erase unit of the device and plane of it; empty: 1
  std::vector<double> layers_;      // by page of an erase unit; empty: 1
  std::vector<double> slc_layers_;  // the same in pseudo-SLC mode
  std::vector<std::uint16_t> plane_of_;  // by page of an erase unit
};

/// Of array times.
struct TimeVariation {
  VariationFactor program, erase, read;
  TimeVariation(const NandConfig& config, const NandGeometry& geometry);
};
/// Of the raw bit error rate.
VariationFactor error_variation(const NandConfig& config, const NandGeometry& geometry);

/// How many layers a block has: nand.variation.layers, or a layer a word line.
std::uint32_t layers_of(const NandConfig& config);
std::uint32_t word_lines_of(const NandConfig& config);

/// What the manufacturer's test of each erase unit finds, and leaves on the drive beside the marks of bad blocks: how
/// long it takes to erase and to fill it. By number in the device; empty: all alike. The test averages over a block's
/// program units, so the spread of single programs (nand.program_time_spread) is not in it.
std::vector<Picoseconds> tested_block_times(const NandConfig& config, const NandGeometry& geometry);

}  // namespace flashloom
