#include "policies/tiering/demand.hpp"

namespace flashloom {

DemandTier::DemandTier(const TieringContext& context, const TieringTraits& traits, const ParameterValues& values)
    : TieringPolicy(traits), cached_({values.get<std::string>("replacement"), {}}, context.slots) {
  if (values.get<std::string>("admission") == "larc") lazy_.emplace(context.slots);
}

std::optional<TierExchange> DemandTier::accessed(Segment segment, Access access, bool room) {
  if (const Slot slot = cached_.find(segment); slot != kNoSlot) {
    cached_.reference(slot, access);
    if (lazy_) lazy_->hit();
    return std::nullopt;
  }
  if (lazy_ && !lazy_->admit(segment, access)) return std::nullopt;
  // A write that bypasses the cache does not admit its segment.
  if (!room || (access == Access::Write && !traits().keeps_writes)) return std::nullopt;
  const Slot slot = cached_.insert(segment, access);
  if (slot == kNoSlot) return std::nullopt;
  return TierExchange{segment, slot};
}

void DemandTier::recovered(const TierMap& map) { cached_.restore(map); }

std::vector<ParameterSpec> DemandTier::parameters() {
  return {{.name = "replacement",
           .default_value = std::string("lru"),
           .choices = {},
           .help = "which segment leaves: a policy of the family replacement"},
          {.name = "admission",
           .default_value = std::string("always"),
           .choices = {"always", "larc"},
           .help = "which segment comes in: each that is missed, or one that is missed again while it is remembered"}};
}

void DemandTier::LazyAdmission::hit() {
  target_ = std::max(slots_ * 0.1, target_ - slots_ / std::max(slots_ - target_, 1.0));
}

bool DemandTier::LazyAdmission::admit(Segment segment, Access access) {
  if (remembered_.find(segment) != kNoSlot) {
    target_ = std::min(slots_ * 0.9, target_ + slots_ / target_);
    remembered_.drop(segment);
    return true;
  }
  remembered_.insert(segment, access);
  while (remembered_.size() > std::max(target_, 1.0)) remembered_.evict();
  return false;
}

}  // namespace flashloom
