// [nand.variation]: how much dies, blocks and layers differ.
#pragma once

#include <cstdint>

#include "models/common/quantity.hpp"

namespace flashloom {

/// Standard deviations of the logarithm of a factor; 0: all alike.
struct Deviations {
  double die = 0;
  double block = 0;  ///< of a plane
  double layer = 0;  ///< of its word lines, the same in all blocks
  bool any() const { return die != 0 || block != 0 || layer != 0; }
};

struct VariationConfig {
  Deviations program;        ///< of tPROG
  Deviations erase;          ///< of tBERS; without layers, since an erase covers all of them
  Deviations read;           ///< of tR
  Deviations errors;         ///< of the raw bit error rate
  std::uint32_t layers = 0;  ///< layers of a block; 0: one a word line
  std::uint64_t seed = 1;    ///< selects one device of the production
  bool times() const { return program.any() || erase.any() || read.any(); }
  /// Whether blocks differ in their program or erase times.
  bool block_times() const { return program.block != 0 || erase.block != 0; }

  /// The keys of [nand.variation].
  template <class Keys>
  static void describe(Keys& keys) {
    constexpr double kMostOfTime = 0.3;
    constexpr double kMostOfErrors = 2;
    keys.shapes_state()
        .rare()
        .count(
            "program_die", [](auto& config) -> auto& { return config.program.die; }, 0, kMostOfTime,
            "standard deviation of ln tPROG between dies; the mean of tPROG stays (Tseng et al., HPCA 2024: that it "
            "varies)")
        .common()
        .count(
            "program_block", [](auto& config) -> auto& { return config.program.block; }, 0, kMostOfTime,
            "the same between blocks of a plane")
        .rare()
        .count(
            "program_layer", [](auto& config) -> auto& { return config.program.layer; }, 0, kMostOfTime,
            "the same between layers, alike in all blocks (Shim et al., MICRO 2019)")
        .count(
            "erase_die", [](auto& config) -> auto& { return config.erase.die; }, 0, kMostOfTime,
            "of ln tBERS between dies; the mean of tBERS stays")
        .count(
            "erase_block", [](auto& config) -> auto& { return config.erase.block; }, 0, kMostOfTime,
            "the same between blocks of a plane")
        .timed_only()
        .count(
            "read_die", [](auto& config) -> auto& { return config.read.die; }, 0, kMostOfTime,
            "of ln tR between dies; the mean of tR stays")
        .common()
        .count(
            "read_block", [](auto& config) -> auto& { return config.read.block; }, 0, kMostOfTime,
            "the same between blocks of a plane")
        .count(
            "read_layer", [](auto& config) -> auto& { return config.read.layer; }, 0, kMostOfTime,
            "the same between layers, alike in all blocks")
        .shapes_state()
        .rare()
        .count(
            "errors_die", [](auto& config) -> auto& { return config.errors.die; }, 0, kMostOfErrors,
            "of the logarithm of the raw bit error rate between dies; its mean stays. Needs nand.errors.model")
        .common()
        .count(
            "errors_block", [](auto& config) -> auto& { return config.errors.block; }, 0, kMostOfErrors,
            "the same between blocks of a plane")
        .count(
            "errors_layer", [](auto& config) -> auto& { return config.errors.layer; }, 0, kMostOfErrors,
            "the same between layers, alike in all blocks (Luo et al., SIGMETRICS 2018)")
        .rare()
        .count("layers", &VariationConfig::layers, 0, 4096,
               "layers of a block, whose word lines are divided among them; at most as many; 0: each word line is one")
        .common()
        .count("seed", &VariationConfig::seed, 0, 9007199254740992,
               "which device of the production it is: the same in all runs of one drive, whatever their seed");
  }
};

}  // namespace flashloom
