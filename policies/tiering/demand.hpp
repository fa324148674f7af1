// A tier that changes with every miss: the missing segment enters if it is admitted, and the replacement policy chooses
// the victim. Common part of the policies write_invalidate and write_back, which differ in their handling of
// writes.
#pragma once

#include <algorithm>
#include <vector>

#include "policies/tiering/segment_set.hpp"
#include "policies/tiering/tiering.hpp"

namespace flashloom {

class DemandTier final : public TieringPolicy {
 public:
  DemandTier(const TieringContext& context, const TieringTraits& traits, const ParameterValues& values);

  std::optional<TierExchange> accessed(Segment segment, Access access, bool room) override;
  void dropped(Segment segment) override { cached_.drop(segment); }
  void recovered(const TierMap& map) override;

  /// Parameters of both policies.
  static std::vector<ParameterSpec> parameters();

 private:
  /// LARC, lazy adaptive replacement: a segment enters when it is missed again while it is in the ghost list, whose
  /// length grows with ghost hits, and shrinks with cache hits.
  /// Huang, Wei, Chen, Chen and Feng, "Improving flash-based disk cache with Lazy Adaptive Replacement", MSST 2013.
  class LazyAdmission {
   public:
    explicit LazyAdmission(std::uint32_t slots)
        : slots_(slots),
          remembered_({"lru", {}}, std::max<std::uint32_t>(1, slots - slots / 10)),
          target_(slots * 0.1) {}
    void hit();
    bool admit(Segment segment, Access access);

   private:
    double slots_;
    SegmentSet remembered_;
    double target_;
  };

  SegmentSet cached_;
  std::optional<LazyAdmission> lazy_;
};

}  // namespace flashloom
