#include "controllers/ftl/collect/victim_sources.hpp"

namespace flashloom {

VictimSources::VictimSources(VictimStart& start) : space_(start) { start.victims().set_space(space_); }

void VictimSources::add(std::unique_ptr<VictimSource> source) {
  if (source->begins() == VictimSource::Begins::Always) urgent_.push_back(source.get());
  sources_.push_back(std::move(source));
}

Task<bool> VictimSources::begin_first(std::uint32_t group, bool (VictimSource::*wants)(std::uint32_t) const) {
  for (const auto& source : sources_) {
    if (!(*source.*wants)(group)) continue;
    const bool begun = co_await source->begin(group);
    if (begun) co_return true;
  }
  co_return false;
}

Task<bool> VictimSources::begin_for_space(std::uint32_t group) {
  if (for_space_ != nullptr && for_space_->wants(group)) return for_space_->begin(group);
  return space_.begin(group);
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
  return space_;
}

}  // namespace flashloom
