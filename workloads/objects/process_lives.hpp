// Processes that live at once, take turns and end: who does which access of a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/random.hpp"

namespace flashloom {

/// So many places, each with a process that does an access when its turn comes, place by place. A process that has done
/// the accesses of its life ends, and another one, with a new number, takes its place.
class ProcessLives {
 public:
  struct Turn {
    std::uint32_t process = 0;  ///< from 1 on
    std::uint32_t place = 0;
    bool begins = false;  ///< it is the first access of the process
    bool ends = false;    ///< it is the last one
  };

  /// `life`: accesses of a process, or their mean in a geometric distribution; 0: no process ends. At the begin the
  /// processes with a fixed life have parts of it behind them, evenly spread, so that they do not end together.
  ProcessLives(std::uint64_t processes, std::uint64_t life, bool geometric, std::uint64_t seed);

  Turn next();

 private:
  struct Place {
    std::uint32_t process = 0;  // 0: there is none yet
    std::uint64_t left = 0;     // accesses of a fixed life
  };
  std::uint64_t life_;
  bool geometric_;
  Random random_;
  std::vector<Place> places_;
  std::uint32_t next_ = 0;  // place
  std::uint32_t last_ = 0;  // process that began last
};

}  // namespace flashloom
