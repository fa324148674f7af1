// Victims whose data are to be moved before they cannot be corrected any more: data scrubbing, "read reclaim" and
// "refresh" of vendors. Source: Y. Cai et al., "Flash correct-and-refresh", ICCD 2012; K. Ha, J. Jeong, J. Kim, "An
// integrated approach for managing read disturbs in high-density NAND flash memory", IEEE TCAD 35(7), 2016.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"

namespace flashloom {

class VictimQueue {
 public:
  VictimQueue(std::uint32_t groups, std::uint32_t victims) : groups_(groups), queued_(victims) {
    for (auto& group : groups_) group.set_capacity(victims / groups);
  }

  /// Queues a victim, unless it is queued already. `erases`: of one of its blocks, to detect that its data have moved.
  void add(std::uint32_t group, BlockNumber victim, std::uint32_t erases) {
    if (std::exchange(queued_[victim], std::uint8_t{1}) == 0) groups_[group].push_back({victim, erases});
  }
  bool any(std::uint32_t group) const { return !groups_[group].empty(); }
  struct Entry {
    BlockNumber victim = kNoBlockNumber;
    std::uint32_t erases = 0;
    void state(StateArchive& archive) { archive(victim, erases); }
  };
  /// Takes the victim that has waited longest; there must be one.
  Entry take(std::uint32_t group) {
    const Entry entry = groups_[group].front();
    groups_[group].pop_front();
    queued_[entry.victim] = 0;
    return entry;
  }

  void state(StateArchive& archive) {
    for (auto& group : groups_) {
      std::vector<Entry> entries(group.begin(), group.end());
      archive(entries);
      if (archive.loading()) group.assign(group.capacity(), entries.begin(), entries.end());
    }
    archive(queued_);
  }

 private:
  std::vector<boost::circular_buffer<Entry>> groups_;
  std::vector<std::uint8_t> queued_;  // by victim
};

}  // namespace flashloom
