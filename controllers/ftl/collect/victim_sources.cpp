#include "controllers/ftl/collect/victim_sources.hpp"

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {
namespace {

/// Victims that gain free space, as the policy (garbage_collection) chooses them; none if no victim would.
class SpaceVictims final : public VictimSource {
 public:
  explicit SpaceVictims(Collector& collector)
      : VictimSource(collector, {.units_moved = &collector.statistics().units_moved}) {}

  bool wants(std::uint32_t group) const override { return blocks_.free_of_group(group) <= collector_.victims().low(); }
  Task<bool> begin(std::uint32_t group) override;

 private:
  GcUnit surest_victim(std::uint32_t group) const;
};

Task<bool> SpaceVictims::begin(std::uint32_t group) {
  const std::uint32_t number = blocks_.policies().collection(group).victim(statistics_.units_written);
  if (number == kNoBlock) co_return false;
  const Victims& victims = collector_.victims();
  GcUnit victim = victims.of_number(group, number);
  std::uint32_t room = victims.room_of(victim);
  if (victims.most_taken_of(victim) >= room) {
    victim = context_.sizes == nullptr ? kNoBlockNumber : surest_victim(group);
    if (victim == kNoBlockNumber) co_return false;  // nothing to gain
    room = victims.room_of(victim);
  }
  ++statistics_.gc_runs;
  collector_.begin_for_space(*this, group, victim, room);
  co_return true;
}

// With units of different sizes the policy ranks victims by the room that their data take now, but their copies may
// take more. This finds the victim with the largest guaranteed gain; one exists, since the blocks cannot all be full of
// whole units.
GcUnit SpaceVictims::surest_victim(std::uint32_t group) const {
  const Victims& victims = collector_.victims();
  const GcUnit first = victims.of_number(group, 0);
  GcUnit best = kNoBlockNumber;
  std::uint32_t most = 0;
  for (GcUnit victim = first; victim < first + blocks_.gc_units_of_group(); ++victim) {
    if (!victims.all_closed(victim) || blocks_.in_slc_mode(blocks_.member(victim, 0))) continue;
    const std::uint32_t room = victims.room_of(victim);
    const std::uint32_t gain = room - std::min(room, victims.most_taken_of(victim));
    if (gain <= most) continue;
    most = gain;
    best = victim;
  }
  return best;
}

}  // namespace

VictimSource::VictimSource(Collector& collector, const Moves& moves, Begins begins)
    : FtlPart(collector), collector_(collector), moves_(moves), begins_(begins) {}

VictimSources::VictimSources(Collector& collector) : space_(std::make_unique<SpaceVictims>(collector)) {
  collector.victims().set_space(*space_);
}

void VictimSources::add(std::unique_ptr<VictimSource> source) {
  if (source->begins() == VictimSource::Begins::Always) urgent_.push_back(source.get());
  sources_.push_back(std::move(source));
}

Task<bool> VictimSources::begin(std::uint32_t group, bool idle) {
  for (const auto& source : sources_) {
    if (idle ? !source->may_begin_idle(group) : !source->wants(group)) continue;
    const bool begun = co_await source->begin(group);
    if (begun) co_return true;
  }
  co_return false;
}

Task<bool> VictimSources::begin_for_space(std::uint32_t group) {
  if (for_space_ != nullptr && for_space_->wants(group)) return for_space_->begin(group);
  return space_->begin(group);
}

Task<bool> VictimSources::begin_after(std::uint32_t group) {
  if (after_ == nullptr || !after_->wants(group)) co_return false;
  const bool begun = co_await after_->begin(group);
  co_return begun;
}

bool VictimSources::urgent_when_blocking(std::uint32_t group) const {
  return std::ranges::any_of(sources_, [&](const auto& source) {
    return source->begins() != VictimSource::Begins::Active && source->wants(group);
  });
}

VictimSources::Saved VictimSources::saved(const VictimSource& source) const {
  return {.origin = source.origin(), .gainless = !source.gains(), .for_space = &source == for_space_.get()};
}

VictimSource& VictimSources::source_of(const Saved& saved) {
  if (saved.for_space && for_space_ != nullptr) return *for_space_;
  if (saved.origin == Origin::Wear && after_ != nullptr) return *after_;
  for (const auto& source : sources_)
    if (source->origin() == saved.origin && source->gains() != saved.gainless) return *source;
  return *space_;
}

}  // namespace flashloom
