// Family "correlation": predicts which buffered pages will be updated together. COLD (J. K. Park, Correlated locality
// data distribution policy, J. KSCI 21(2), 2016) calls such a set "correlated locality data": its pages leave the
// buffer together, and placement "cold" puts them on one die.
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
  std::uint32_t pages_per_block = 1;  ///< maximum set size in pages, unless the part says otherwise
};

/// Finds sets among the dirty pages of a buffer. Sets are disjoint at any time.
class CorrelationDetector {
 public:
  static constexpr const char* kFamily = "correlation";
  using Context = CorrelationContext;
  virtual ~CorrelationDetector() = default;

  /// False: there are never any sets, and calls may be omitted.
  virtual bool active() const { return true; }
  /// The host request number `request` wrote `page` into `slot`, where it may have been before.
  virtual void written(Slot slot, std::uint64_t page, std::uint64_t request) = 0;
  /// `slot`, which was written, has become empty or clean.
  virtual void removed(Slot slot) = 0;
  /// Appends the slots of the set of `slot`, itself included, in the order in which they should leave; none if it has
  /// no set.
  virtual void set_of(Slot slot, std::vector<Slot>& members) = 0;

  /// Saves or loads what later decisions depend on.
  virtual void state(StateArchive& archive) = 0;
};

/// A page that leaves a buffer, with the number of its set; 0: none.
struct LeavingPage {
  Slot slot = kNoSlot;
  std::uint32_t set = 0;
};

/// Applies a detector to a buffer, and numbers the sets that leave.
class CorrelatedSets {
 public:
  /// `detector` must be active.
  CorrelatedSets(std::unique_ptr<CorrelationDetector> detector, std::uint32_t capacity)
      : detector_(std::move(detector)), seen_(capacity) {}

  void written(Slot slot, std::uint64_t page, std::uint64_t request) { detector_->written(slot, page, request); }
  void removed(Slot slot) { detector_->removed(slot); }

  /// The pages in `slots` leave, in this order: fills `leaving` with them; the first page of each set is followed by
  /// the rest of its set, in the set's order.
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
  std::vector<char> seen_;  // by slot; used only inside complete()
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
