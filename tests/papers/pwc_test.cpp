// PWC against a transcription of sections 3.3 and 3.4 and figure 5 of Baek and Park, "A Persistent Read/Write Cache
// using General Flash-based SSDs": figure 4, and random accesses with passes.
#include <algorithm>
#include <utility>
#include <vector>

#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"
#include "policies/tiering/tiering.hpp"
#include "tests/papers/streams.hpp"

namespace flashloom::pwc_test {
namespace {

using papers::agree_on;
using papers::Stream;
using Exchanges = std::vector<std::pair<Slot, Segment>>;

// What the policy decides in figure 5: lines 3, 6 to 13, 18 and 27. Names are the figure's.
class Paper {
 public:
  Paper(std::size_t hdd_segments, std::size_t ssd_segments, std::uint32_t gain, std::uint32_t threshold)
      : gain_(gain),
        threshold_(threshold),
        frequencies_(hdd_segments),
        touched_(hdd_segments),
        address_map(ssd_segments, kNoSegment),
        eviction_clock_(ssd_segments - 1) {}

  // "Each hit adds a constant (5), up to 2^16 - 1; hits in a row are taken for one. When the hot segments outnumber the
  // SSD's, all frequencies are multiplied by 4/5."
  void hit(Segment segment) {
    if (segment == last_) return;
    last_ = segment;
    touched_[segment] = true;
    frequencies_[segment] = std::min(frequencies_[segment] + gain_, 65535U);
    decay();
  }
  // "While fewer segments have ever been accessed than the SSD has, one that was accessed is hot"; else one at the
  // threshold (20) or above.
  bool hot(Segment segment) const {
    const auto accessed = static_cast<std::size_t>(std::count(touched_.begin(), touched_.end(), true));
    return accessed < address_map.size() ? touched_[segment] : frequencies_[segment] >= threshold_;
  }
  // The procedure that caches and evicts: what it puts where.
  Exchanges pass() {
    Exchanges exchanges;
    decay();
    for (Segment caching_clock = 0; caching_clock < frequencies_.size(); ++caching_clock)
      if (hot(caching_clock) && !cached(caching_clock)) {
        eviction_clock_ = next_eviction_clock(eviction_clock_);
        address_map[eviction_clock_] = caching_clock;
        exchanges.emplace_back(static_cast<Slot>(eviction_clock_), caching_clock);
      }
    return exchanges;
  }
  void restart() { last_ = kNoSegment; }

 private:
  bool cached(Segment segment) const { return std::count(address_map.begin(), address_map.end(), segment) != 0; }
  void decay() {
    const auto num_of_hot_segments = [this] {
      std::size_t hot_segments = 0;
      for (Segment segment = 0; segment < frequencies_.size(); ++segment) hot_segments += hot(segment) ? 1 : 0;
      return hot_segments;
    };
    while (num_of_hot_segments() > address_map.size())
      for (std::uint32_t& frequency : frequencies_) frequency = frequency * 4 / 5;  // ours: rounded down
  }
  // The next place whose segment is not hot; ours: or that is free.
  std::size_t next_eviction_clock(std::size_t place) const {
    do place = (place + 1) % address_map.size();
    while (address_map[place] != kNoSegment && hot(address_map[place]));
    return place;
  }

  std::uint32_t gain_, threshold_;
  std::vector<std::uint32_t> frequencies_;
  std::vector<bool> touched_;
  Segment last_ = kNoSegment;

 public:
  std::vector<Segment> address_map;  // by SSD segment

 private:
  std::size_t eviction_clock_;
};

// The policy beside the paper.
class Both {
 public:
  Both(std::uint32_t segments, std::uint32_t slots, std::uint32_t gain = 5, std::uint32_t threshold = 20)
      : paper(segments, slots, gain, threshold),
        map(slots),
        context_{segments, slots},
        choice_{"pwc", ParameterValues({{"gain", std::int64_t{gain}}, {"threshold", std::int64_t{threshold}}})},
        policy_(Family<TieringPolicy>::make(choice_, context_)) {}

  void access(Segment segment) {
    EXPECT_FALSE(policy_->accessed(segment, Access::Read, true));
    paper.hit(segment);
  }
  /// The policy's exchanges; in between, what is accessed does not count.
  Exchanges pass(Segment accessed) {
    Exchanges exchanges;
    policy_->begin_pass();
    while (const auto wanted = policy_->next_exchange(map)) {
      exchanges.emplace_back(wanted->slot, wanted->segment);
      map.clear(wanted->slot);
      map.set(wanted->slot, wanted->segment);
      policy_->accessed(accessed, Access::Write, true);
    }
    policy_->end_pass();
    return exchanges;
  }
  void restart() {
    const auto before = std::exchange(policy_, Family<TieringPolicy>::make(choice_, context_));
    EXPECT_TRUE(load_state(*policy_, saved(*before)));
    paper.restart();
  }

  Paper paper;
  TierMap map;

 private:
  TieringContext context_;
  PolicyChoice choice_;
  std::unique_ptr<TieringPolicy> policy_;
};

// Figure 4: 16 segments on the HDD, 4 on the SSD, hot from 20 on. The SSD holds 0, 3, 7 and 12 in slots 0 to 3; 3 and
// 12 stay hot, 6 and 9 have become so. The caching clock stops at 6, the eviction clock, which was at slot 3, at slot 0
// (segment 0 is not hot): 6 takes its place. Then the caching clock stops at 9, the eviction clock goes over slot 1 (3
// is hot) to slot 2: 9 takes the place of 7.
TEST(PwcPaper, FigureFour) {
  Both both(16, 4);
  const std::vector<Segment> before = {0, 3, 7, 12};
  both.paper.address_map = before;
  for (Slot slot = 0; slot < 4; ++slot) both.map.set(slot, before[slot]);
  // In turns, so that each access counts: 3, 12, 6 and 9 come to 20, 0 and 7 to 5.
  both.access(0);
  both.access(7);
  for (int round = 0; round < 4; ++round)
    for (const Segment segment : {3, 12, 6, 9}) both.access(segment);
  const Exchanges expected = {{0, 6}, {2, 9}};
  EXPECT_EQ(both.paper.pass(), expected);
  EXPECT_EQ(both.pass(0), expected);
  EXPECT_EQ(both.map.segments(), (std::vector<Segment>{6, 3, 9, 12}));
}

TEST(PwcPaper, ExchangesOfEveryPass) {
  std::uint64_t exchanges = 0;
  agree_on(500, [&exchanges](Stream& stream) {
    const auto segments = static_cast<std::uint32_t>(4 + stream.below(16));
    const auto slots = static_cast<std::uint32_t>(1 + stream.below(5));
    const bool saturates = stream.one_in(4);
    Both both = saturates ? Both(segments, slots, 30000, 60000) : Both(segments, slots);
    stream.tell(std::to_string(segments) + " segments, " + std::to_string(slots) + " slots:");
    for (int step = 0; step < 150 && stream.goes_on(); ++step) {
      // Some segments are accessed more often, others in time.
      const std::uint64_t range = stream.one_in(3) ? segments : std::min<std::uint64_t>(segments, slots + 2);
      const auto segment =
          static_cast<Segment>((stream.below(range) + static_cast<std::uint64_t>(step / 40)) % segments);
      if (stream.one_in(15)) {
        stream.tell("pass");
        const Exchanges done = both.pass(segment);
        stream.compare(done, both.paper.pass());
        stream.compare(both.map.segments(), both.paper.address_map);
        exchanges += done.size();
      } else if (stream.one_in(40)) {
        stream.tell("restart");
        both.restart();
      } else {
        stream.tell("", segment);
        both.access(segment);
      }
    }
  });
  EXPECT_TRUE(HasFailure() || exchanges > 2000) << exchanges;
}

}  // namespace
}  // namespace flashloom::pwc_test
