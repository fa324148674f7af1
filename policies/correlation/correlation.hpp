// Family "correlation": which buffered pages belong together, so that they will probably be updated together. COLD
// (J. K. Park, Correlated locality data distribution policy, J. KSCI 21(2), 2016) calls such a set "correlated locality
// data": its pages leave the buffer together, and placement "cold" puts them on one die.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "policies/eviction.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

struct CorrelationContext {
  std::uint32_t capacity = 0;         ///< slots of the buffer
  std::uint32_t pages_per_block = 1;  ///< a set has as many pages at most, unless its part says otherwise
};

/// Finds sets among the dirty pages of a buffer. Sets are disjoint at any time.
class CorrelationDetector {
 public:
  static constexpr const char* kFamily = "correlation";
  using Context = CorrelationContext;
  virtual ~CorrelationDetector() = default;

  /// False: there never is a set, and nothing need be told.
  virtual bool active() const { return true; }
  /// `page` was written into `slot` by the host's request of this number; it may have been there before.
  virtual void written(Slot slot, std::uint64_t page, std::uint64_t request) = 0;
  /// `slot`, which was written, is empty or clean now.
  virtual void removed(Slot slot) = 0;
  /// Appends the slots of the set that `slot` is in, itself included, in the order in which they should leave; none if
  /// it is in none.
  virtual void set_of(Slot slot, std::vector<Slot>& members) = 0;

  /// Saves or loads what later decisions depend on.
  virtual void state(StateArchive& archive) = 0;
};

/// What leaves a buffer, with the number of its set; 0: none.
struct LeavingPage {
  Slot slot = kNoSlot;
  std::uint32_t set = 0;
};

/// A detector at work in a buffer: numbers the sets that leave.
class CorrelatedSets {
 public:
  /// `detector` must be active.
  CorrelatedSets(std::unique_ptr<CorrelationDetector> detector, std::uint32_t capacity)
      : detector_(std::move(detector)), seen_(capacity) {}

  void written(Slot slot, std::uint64_t page, std::uint64_t request) { detector_->written(slot, page, request); }
  void removed(Slot slot) { detector_->removed(slot); }

  /// The pages in `slots` leave, in this order: fills `leaving` with them, each in its place or, where the first of its
  /// set is, with the rest of the set, in the set's own order.
  void complete(const std::vector<Slot>& slots, std::vector<LeavingPage>& leaving) {
    leaving.clear();
    for (const Slot slot : slots) {
      if (seen_[slot]) continue;
      members_.clear();
      detector_->set_of(slot, members_);
      const bool loose = members_.size() < 2;
      if (loose) members_.assign(1, slot);
      if (!loose && ++sets_ == 0) ++sets_;
      for (const Slot member : members_) {
        seen_[member] = true;
        leaving.push_back({member, loose ? 0 : sets_});
      }
    }
    for (const LeavingPage& page : leaving) seen_[page.slot] = false;
  }

  void state(StateArchive& archive) {
    detector_->state(archive);
    archive(sets_);
  }

 private:
  std::unique_ptr<CorrelationDetector> detector_;
  std::vector<char> seen_;  // by slot; only while a list is made up
  std::vector<Slot> members_;
  std::uint32_t sets_ = 0;  // numbered so far, modulo 2^32
};

/// What all detectors have in common.
inline ParameterSpec threshold_parameter() {
  return {.name = "threshold",
          .default_value = std::int64_t{16},
          .minimum = 2,
          .maximum = 65536,
          .choices = {},
          .help = "delta, in pages: what is smaller is no set"};
}
inline ParameterSpec limit_parameter() {
  return {.name = "limit",
          .default_value = std::int64_t{0},
          .minimum = 0,
          .maximum = 1 << 24,
          .choices = {},
          .help = "pages of a set at most: what is larger is cut into such pieces; 0: as many as a block has"};
}
inline std::uint32_t threshold_of(const ParameterValues& values) {
  return static_cast<std::uint32_t>(values.get<std::int64_t>("threshold"));
}
inline std::uint32_t limit_of(const CorrelationContext& context, const ParameterValues& values) {
  const auto limit = static_cast<std::uint32_t>(values.get<std::int64_t>("limit"));
  return limit == 0 ? context.pages_per_block : limit;
}

}  // namespace flashloom
