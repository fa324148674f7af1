// A tier that changes with every miss: the segment that was missing comes in, if it is admitted, and the replacement
// policy says which one leaves. What the policies write_invalidate and write_back share; they differ in what becomes
// of writes.
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

  /// Of both policies.
  static std::vector<ParameterSpec> parameters();

 private:
  /// LARC, lazy adaptive replacement: a segment comes in when it is missed again while it is still remembered; the
  /// number of those that are remembered grows with the hits that they get, and shrinks with the cache's.
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
