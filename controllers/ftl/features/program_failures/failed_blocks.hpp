// Blocks in which a program has failed: their data move, since the next erase of the block is its last. With parity
// over dies also the GC units that lost a member with its die: that is the rebuild.
#pragma once

#include <cstdint>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

class FailedBlocks final : public VictimSource, private CloseObserver {
 public:
  /// `parity`: over dies.
  FailedBlocks(Collector& collector, bool parity);

  /// Failed blocks wait to be emptied, and there is room for their data.
  bool wants(std::uint32_t group) const override {
    return queue_.any(group) && blocks_.free_of_group(group) > collector_.victims().kept();
  }
  Task<bool> begin(std::uint32_t group) override;
  void emptied(GcUnit victim) override;
  void recovered() override { find(); }
  void state(StateArchive& archive) override { archive(queue_, dead_noted_, rebuilding_); }

 private:
  void closed(BlockNumber block) override;
  /// The block lies on the dead die: it is emptied as if a program had failed in it, with data rebuilt from parity.
  bool lost_with_die(BlockNumber block) const { return parity_ && blocks_.dead(blocks_.die_of(block)); }
  bool to_be_emptied(BlockNumber block) const;
  void find();
  void note_dead_die();

  bool parity_;
  VictimQueue queue_;
  bool dead_noted_ = false;  // with parity: `queue_` has all GC units with members on the dead die
  bool rebuilding_ = false;  // and not all of them are emptied
  Picoseconds rebuild_began_ = 0;
};

}  // namespace flashloom
