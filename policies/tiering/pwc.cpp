// PWC, persistent read/write cache: each segment of the HDD has a frequency, which a hit raises; when the hot segments
// exceed the SSD's slots, all frequencies decay. The contents change only in rare passes: the caching clock goes once
// around the HDD's segments, and for each hot one that is not cached the eviction clock advances to the next slot that
// is free or holds a segment that is not hot. No lists: two bytes a segment.
// After Baek and Park, "A Persistent Read/Write Cache using General Flash-based SSDs". Ours: a segment is hot at the
// threshold, not above it (their text has both); frequencies are rounded down; free slots are taken. While fewer
// segments have been touched than there are slots, all of those are hot.
// O(1) a hit, O(segments touched) a decay, O(segments) a pass.
#include <algorithm>
#include <limits>

#include "policies/registry.hpp"
#include "policies/tiering/tiering.hpp"

namespace flashloom::tiering::pwc {
namespace {

using Frequency = std::uint16_t;

class Pwc final : public TieringPolicy {
 public:
  Pwc(const TieringContext& context, std::uint32_t gain, std::uint32_t threshold, double decay)
      : TieringPolicy({.in_passes = true}),
        slots_(context.slots),
        gain_(gain),
        threshold_(threshold),
        decay_(decay),
        frequencies_(context.segments),
        is_touched_(context.segments),
        hand_(context.slots - 1) {}

  std::optional<TierExchange> accessed(Segment segment, Access, bool) override {
    if (frozen_ || segment == last_) return std::nullopt;
    last_ = segment;
    if (!is_touched_[segment]) touched_.push_back(segment);
    is_touched_[segment] = true;
    Frequency& frequency = frequencies_[segment];
    const bool was_hot = frequency >= threshold_;
    frequency = static_cast<Frequency>(
        std::min<std::uint32_t>(std::uint32_t{frequency} + gain_, std::numeric_limits<Frequency>::max()));
    if (!was_hot && frequency >= threshold_) ++over_threshold_;
    decay_until_all_fit();
    return std::nullopt;
  }

  void begin_pass() override {
    frozen_ = true;
    decay_until_all_fit();
    clock_ = 0;
  }
  std::optional<TierExchange> next_exchange(const TierMap& map) override {
    for (; clock_ < frequencies_.size(); ++clock_) {
      if (!hot(clock_) || map.slot_of(clock_) != kNoSlot) continue;
      for (std::uint32_t looked = 0; looked < slots_; ++looked) {
        hand_ = hand_ + 1 == slots_ ? 0 : hand_ + 1;
        const Segment there = map.segment_of(hand_);
        if (there == kNoSegment || !hot(there)) return TierExchange{clock_++, hand_};
      }
      return std::nullopt;
    }
    return std::nullopt;
  }
  void end_pass() override { frozen_ = false; }

  std::uint64_t metadata_bytes() const override { return frequencies_.size() * sizeof(Frequency); }
  void state(StateArchive& archive) override {
    std::vector<Frequency> of_touched;
    for (const Segment segment : touched_) of_touched.push_back(frequencies_[segment]);
    archive(touched_, of_touched, hand_);
    if (!archive.loading()) return;
    over_threshold_ = 0;
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      is_touched_[touched_[i]] = true;
      frequencies_[touched_[i]] = of_touched[i];
      if (of_touched[i] >= threshold_) ++over_threshold_;
    }
  }

 private:
  bool all_touched_are_hot() const { return touched_.size() < slots_; }
  bool hot(Segment segment) const {
    return all_touched_are_hot() ? is_touched_[segment] : frequencies_[segment] >= threshold_;
  }

  void decay_until_all_fit() {
    if (all_touched_are_hot()) return;
    while (over_threshold_ > slots_) {
      over_threshold_ = 0;
      for (const Segment segment : touched_) {
        Frequency& frequency = frequencies_[segment];
        frequency = static_cast<Frequency>(frequency * decay_);
        if (frequency >= threshold_) ++over_threshold_;
      }
    }
  }

  std::uint32_t slots_;
  std::uint32_t gain_;
  std::uint32_t threshold_;
  double decay_;
  std::vector<Frequency> frequencies_;  // by segment
  std::vector<bool> is_touched_;
  std::vector<Segment> touched_;  // in the order of their first access
  std::uint32_t over_threshold_ = 0;
  Segment last_ = kNoSegment;
  bool frozen_ = false;
  Segment clock_ = 0;   // caching clock
  std::uint32_t hand_;  // eviction clock: the slot where it stopped last
};

std::uint32_t count(const ParameterValues& values, const char* name) {
  return static_cast<std::uint32_t>(values.get<std::int64_t>(name));
}

const Registration<TieringPolicy> registration{
    {.name = "pwc",
     .summary = "frequencies that decay; contents change in rare passes, so that a map on media is always right",
     .source = "Baek and Park, A Persistent Read/Write Cache using General Flash-based SSDs",
     .parameters = {{.name = "gain",
                     .default_value = std::int64_t{5},
                     .minimum = 1,
                     .maximum = 65535,
                     .choices = {},
                     .help = "what a hit adds to a segment's frequency; hits in a row on one segment are one"},
                    {.name = "threshold",
                     .default_value = std::int64_t{20},
                     .minimum = 1,
                     .maximum = 65535,
                     .choices = {},
                     .help = "frequency from which on a segment is hot"},
                    {.name = "decay",
                     .default_value = 0.8,
                     .dimension = Dimension::Ratio,
                     .minimum = 0,
                     .maximum = 0.999,
                     .choices = {},
                     .help =
                         "what all frequencies are multiplied by when more segments are hot than slots are there"}}},
    [](const TieringContext& context, const ParameterValues& values) {
      return std::make_unique<Pwc>(context, count(values, "gain"), count(values, "threshold"),
                                   values.get<double>("decay"));
    }};

}  // namespace
}  // namespace flashloom::tiering::pwc
