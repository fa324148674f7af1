// Blocks that collection releases, and when their erases may begin. An erase that only more data could make safe waits
// here; the others wait in the Eraser, for what is in flight.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/collect/victims.hpp"
#include "controllers/ftl/ftl.hpp"

namespace flashloom {

class OpenBlocks;

class VictimErases {
 public:
  /// `open` tells which erases wait for data.
  VictimErases(const FtlContext& context, BlockTable& blocks, const OpenBlocks& open);

  /// Releases a victim and erases its blocks, together, when no member is needed any more (Eraser): a power cut leaves
  /// either the whole victim or all of its copies.
  void release(const Victim& victim);
  /// Erases a free block once nothing reads it or copies out of it. `collection`: number of its collection, or 0.
  void erase_later(BlockNumber block, Origin origin = Origin::Gc, std::uint64_t collection = 0);
  /// Waiting data have been programmed: starts the erases that waited for them. Thus no erase is left that only more
  /// writes could release, and the firmware comes to rest between requests.
  void data_programmed() {
    if (!waiting_.empty()) start_waiting();
  }
  bool waits_for_data(BlockNumber block) const;

  void state(StateArchive& archive) { archive(waiting_); }

 private:
  struct Waiting {
    BlockNumber block;
    Origin origin;
    void state(StateArchive& archive) { archive(block, origin); }
  };

  void start_waiting();
  bool member_must_wait(GcUnit unit) const;

  BlockTable& blocks_;
  const OpenBlocks& open_;
  Eraser eraser_;
  std::vector<Waiting> waiting_;
};

}  // namespace flashloom
