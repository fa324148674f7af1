// Hot and cold by two LRU lists: Chang and Kuo, "An adaptive striping architecture for flash memory storage systems of
// embedded systems", RTAS 2002. A unit written enters the candidate list; one that is written again while it is there
// moves to the hot list, and is hot. Units evicted from the hot list become candidates again; units evicted from the
// candidate list are forgotten. The paper's lists have 512 and 1024 entries; here they are shares of the device.
#include <algorithm>
#include <bit>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <vector>

#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::streams::two_level_lru {
namespace {

class TwoLevelLru final : public StreamPolicy {
 public:
  TwoLevelLru(const StreamContext& context, const ParameterValues& values)
      : hot_size_(entries(context, values.get<double>("hot"))),
        candidate_size_(entries(context, values.get<double>("candidates"))),
        entries_(hot_size_ + candidate_size_),
        buckets_(std::bit_ceil(entries_.size() * 2)),
        index_(Index::bucket_traits(buckets_.data(), buckets_.size())) {
    for (Entry& entry : entries_) free_.push_back(entry);
  }

  std::uint32_t count() const override { return 2; }
  std::string name(std::uint32_t stream) const override { return stream == 0 ? "cold" : "hot"; }

  std::uint32_t stream_of(std::uint32_t unit, StreamHint) override {
    const auto found = index_.find(unit);
    if (found == index_.end()) {
      push(candidates_, unit, false);
      return 0;
    }
    Entry& entry = *found;
    if (entry.hot) {
      hot_.splice(hot_.begin(), hot_, hot_.iterator_to(entry));
      return 1;
    }
    entry.hot = true;
    hot_.splice(hot_.begin(), candidates_, candidates_.iterator_to(entry));
    if (hot_.size() > hot_size_) {
      Entry& cooled = hot_.back();
      cooled.hot = false;
      candidates_.splice(candidates_.begin(), hot_, hot_.iterator_to(cooled));  // takes the slot that `entry` left
    }
    return 1;
  }

  void state(StateArchive& archive) override {
    for (List* const list : {&hot_, &candidates_}) {
      std::vector<std::uint32_t> units;
      for (const Entry& entry : *list) units.push_back(entry.unit);
      archive(units);
      if (archive.loading())
        for (auto unit = units.rbegin(); unit != units.rend(); ++unit) push(*list, *unit, list == &hot_);
    }
  }

 private:
  struct Entry : boost::intrusive::list_base_hook<>, boost::intrusive::unordered_set_base_hook<> {
    std::uint32_t unit = 0;
    bool hot = false;
  };
  struct UnitOf {
    using type = std::uint32_t;
    type operator()(const Entry& entry) const { return entry.unit; }
  };
  struct UnitHash {
    std::size_t operator()(std::uint32_t unit) const { return (unit * std::uint64_t{0x9E3779B97F4A7C15}) >> 20; }
  };
  using List = boost::intrusive::list<Entry>;
  using Index =
      boost::intrusive::unordered_set<Entry, boost::intrusive::key_of_value<UnitOf>, boost::intrusive::hash<UnitHash>,
                                      boost::intrusive::power_2_buckets<true>>;

  static std::size_t entries(const StreamContext& context, double share) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(context.logical_units)));
  }

  void push(List& list, std::uint32_t unit, bool hot) {
    if (!hot && candidates_.size() == candidate_size_) {
      Entry& forgotten = candidates_.back();
      candidates_.pop_back();
      index_.erase(index_.iterator_to(forgotten));
      free_.push_front(forgotten);
    }
    Entry& entry = free_.front();
    free_.pop_front();
    entry.unit = unit;
    entry.hot = hot;
    list.push_front(entry);
    index_.insert(entry);
  }

  std::size_t hot_size_;
  std::size_t candidate_size_;
  std::vector<Entry> entries_;
  std::vector<Index::bucket_type> buckets_;
  Index index_;
  List hot_;  // most recent first
  List candidates_;
  List free_;
};

const Registration<StreamPolicy> registration{
    {.name = "two_level_lru",
     .summary = "host data hot or cold by a list of candidates and a list of hot units; GC's copies apart",
     .source = "Chang and Kuo, RTAS 2002",
     .parameters = {{.name = "hot",
                     .default_value = 0.1,
                     .dimension = Dimension::Ratio,
                     .minimum = 0,
                     .maximum = 1,
                     .choices = {},
                     .help = "entries of the hot list / logical units"},
                    {.name = "candidates",
                     .default_value = 0.1,
                     .dimension = Dimension::Ratio,
                     .minimum = 0,
                     .maximum = 1,
                     .choices = {},
                     .help = "entries of the list of candidates / logical units"}}},
    [](const StreamContext& context, const ParameterValues& values) {
      return std::make_unique<TwoLevelLru>(context, values);
    }};

}  // namespace
}  // namespace flashloom::streams::two_level_lru
