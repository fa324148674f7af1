// The sources of victims of a device, in the order in which they are asked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/ftl/collect/victim_source.hpp"

namespace flashloom {

class VictimSources {
 public:
  explicit VictimSources(Collector& collector);

  /// Adds a source. Those added first are asked first: before free space, and whether or not the group is short of it.
  void add(std::unique_ptr<VictimSource> source);
  /// The source that is asked before the policy when a group is short of free space.
  void add_for_space(std::unique_ptr<VictimSource> source) { for_space_ = std::move(source); }
  /// The source that is asked after each collection.
  void add_after(std::unique_ptr<VictimSource> source) { after_ = std::move(source); }

  /// Begins a victim of the first source that has one; false if none has. `idle`: without waiting.
  Task<bool> begin(std::uint32_t group, bool idle = false);
  /// Begins a victim that gains free space; false if there is none.
  Task<bool> begin_for_space(std::uint32_t group);
  /// After a collection: true if another must follow.
  Task<bool> begin_after(std::uint32_t group);

  /// Whether a group with enough free space must be collected, even if it is not active.
  bool urgent(std::uint32_t group) const {
    return std::ranges::any_of(urgent_, [&](const VictimSource* source) { return source->wants(group); });
  }
  bool urgent_when_blocking(std::uint32_t group) const;
  /// Whether a victim waits to be begun, however much space is free.
  bool any_wants(std::uint32_t group) const {
    return std::ranges::any_of(sources_, [&](const auto& source) { return source->wants(group); });
  }
  /// Whether a victim waits for idle collection to make free space.
  bool any_waits_for_space(std::uint32_t group) const {
    return std::ranges::any_of(sources_, [&](const auto& source) { return source->waits_for_space(group); });
  }
  /// Whether only free space makes a victim.
  bool only_space() const { return sources_.empty() && after_ == nullptr; }
  /// Whether groups may be active for another reason than free space.
  bool any_paced() const { return std::ranges::any_of(sources_, &VictimSource::paced); }
  /// Whether victims of some source gain nothing.
  bool any_gainless() const { return !std::ranges::all_of(sources_, &VictimSource::gains); }
  void emptied(GcUnit victim) {
    for (const auto& source : sources_) source->emptied(victim);
  }
  void recovered() {
    for (const auto& source : sources_) source->recovered();
  }

  /// Saved states; saved(): which source a victim is of.
  struct Saved {
    Origin origin;
    bool gainless;
    bool for_space;
  };
  Saved saved(const VictimSource& source) const;
  VictimSource& source_of(const Saved& saved);
  void state(StateArchive& archive) {
    for (const auto& source : sources_) source->state(archive);
  }

 private:
  std::unique_ptr<VictimSource> space_;
  std::vector<std::unique_ptr<VictimSource>> sources_;
  std::vector<const VictimSource*> urgent_;  // of these
  std::unique_ptr<VictimSource> for_space_;  // null: none
  std::unique_ptr<VictimSource> after_;      // null: none
};

}  // namespace flashloom
