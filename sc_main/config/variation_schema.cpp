// The keys of [nand.variation].
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_variation(std::vector<ConfigKey>& keys) {
  constexpr double kMostOfTime = 0.3;
  constexpr double kMostOfErrors = 2;
  TableBuilder(keys, "nand.variation")
      .count("program_die", FLASHLOOM_MEMBER(nand.variation.program.die), 0, kMostOfTime,
             "standard deviation of ln tPROG between dies; the mean of tPROG stays (Tseng et al., HPCA 2024: that it "
             "varies)")
      .count("program_block", FLASHLOOM_MEMBER(nand.variation.program.block), 0, kMostOfTime,
             "the same between blocks of a plane")
      .count("program_layer", FLASHLOOM_MEMBER(nand.variation.program.layer), 0, kMostOfTime,
             "the same between layers, alike in all blocks (Shim et al., MICRO 2019)")
      .count("erase_die", FLASHLOOM_MEMBER(nand.variation.erase.die), 0, kMostOfTime,
             "of ln tBERS between dies; the mean of tBERS stays")
      .count("erase_block", FLASHLOOM_MEMBER(nand.variation.erase.block), 0, kMostOfTime,
             "the same between blocks of a plane")
      .count("read_die", FLASHLOOM_MEMBER(nand.variation.read.die), 0, kMostOfTime,
             "of ln tR between dies; the mean of tR stays")
      .count("read_block", FLASHLOOM_MEMBER(nand.variation.read.block), 0, kMostOfTime,
             "the same between blocks of a plane")
      .count("read_layer", FLASHLOOM_MEMBER(nand.variation.read.layer), 0, kMostOfTime,
             "the same between layers, alike in all blocks")
      .count("errors_die", FLASHLOOM_MEMBER(nand.variation.errors.die), 0, kMostOfErrors,
             "of the logarithm of the raw bit error rate between dies; its mean stays. Needs nand.errors.model")
      .count("errors_block", FLASHLOOM_MEMBER(nand.variation.errors.block), 0, kMostOfErrors,
             "the same between blocks of a plane")
      .count("errors_layer", FLASHLOOM_MEMBER(nand.variation.errors.layer), 0, kMostOfErrors,
             "the same between layers, alike in all blocks (Luo et al., SIGMETRICS 2018)")
      .count("layers", FLASHLOOM_MEMBER(nand.variation.layers), 0, 4096,
             "layers of a block, whose word lines are divided among them; at most as many; 0: each word line is one")
      .count("seed", FLASHLOOM_MEMBER(nand.variation.seed), 0, 9007199254740992,
             "which device of the production it is: the same in all runs of one drive, whatever their seed");
}

}  // namespace flashloom
