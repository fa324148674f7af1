// What garbage collection moves of the data of reclaim unit handles: statistics, and the event Media Reallocated.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

class MovedUnits final : public MoveFilter, private FtlPart {
 public:
  explicit MovedUnits(Collector& collector);

  void moved(std::uint32_t group, std::uint32_t unit) override;
  void collected(std::uint32_t group) override;
  void state(StateArchive& archive) override { archive(victims_); }

 private:
  /// Units of host data moved out of a victim.
  struct Moved {
    std::uint64_t units = 0;
    std::uint32_t lowest = ~std::uint32_t{0};
    std::uint32_t unused = 0;  // fills the padding, for saved states
  };

  Collector& collector_;
  std::uint32_t handles_;       // of all reclaim groups
  std::vector<Moved> victims_;  // by group
};

}  // namespace flashloom
