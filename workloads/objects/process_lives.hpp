// Concurrent processes that take turns and end: chooses the process of each access of a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/random.hpp"

namespace flashloom {

/// A fixed number of places take turns; at each turn the process in the place makes one access. A process ends after
/// the accesses of its life, and a process with a new number takes its place.
class ProcessLives {
 public:
  struct Turn {
    std::uint32_t process = 0;  ///< from 1 on
    std::uint32_t place = 0;
    bool begins = false;  ///< the first access of the process
    bool ends = false;    ///< the last access of the process
  };

  /// `life`: accesses of a process, or their mean if `geometric`; 0: no process ends. With a fixed life the first
  /// processes have evenly spread remaining lives, so that they do not end together.
  ProcessLives(std::uint64_t processes, std::uint64_t life, bool geometric, std::uint64_t seed);

  Turn next();

 private:
  struct Place {
    std::uint32_t process = 0;  // 0: none
    std::uint64_t left = 0;     // accesses left of a fixed life
  };
  std::uint64_t life_;
  bool geometric_;
  Random random_;
  std::vector<Place> places_;
  std::uint32_t next_ = 0;  // place of the next turn
  std::uint32_t last_ = 0;  // highest process number so far
};

}  // namespace flashloom
