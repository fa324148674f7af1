// UFLRU against a transcription of section 3 of "UFLRU: a persistent object swapping algorithm for the hierarchical
// structure of non-volatile memory and flash memory", on random references, mappings and evictions.
#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "tests/papers/streams.hpp"

namespace flashloom::uflru_test {
namespace {

using papers::agree_on;
using papers::Stream;

constexpr std::uint64_t kObjectPages = 2;

class Mappings final : public MappedView {
 public:
  bool mapped(std::uint64_t page) const override { return objects.contains(page / kObjectPages); }
  std::set<std::uint64_t> objects;
};

// "Newly allocated pages first enter the active list; pages that are not accessed often go to the inactive list. A page
// that goes there is inserted at the list's tail if it is unmapped, else at its head." Victims: "the inactive list is
// examined from its tail". Both as in Linux: a page referenced meanwhile goes to the head of the active list.
// Ours: pages go to the inactive list when a victim is needed, until it has the share `inactive`; an inactive page
// whose object is mapped or unmapped is inserted again (`follow`); with `fifo` an unmapped page is inserted before the
// others.
class Paper {
 public:
  Paper(const Mappings& mappings, double inactive, bool rotate, bool fifo, bool follow)
      : mappings_(mappings), share_(inactive), rotate_(rotate), fifo_(fifo), follow_(follow) {}

  void allocate(std::uint64_t page) { active_.insert(active_.begin(), page); }
  void access(std::uint64_t page) { referenced_.insert(page); }
  void remapped(std::uint64_t page) {
    if (follow_ && inactive(page)) fall(page);
  }
  void leave(std::uint64_t page) {
    std::erase(active_, page);
    std::erase_if(inactive_, [page](const Fallen& other) { return other.page == page; });
    referenced_.erase(page);
  }
  std::uint64_t victim() {
    for (;;) {
      const auto target = static_cast<std::size_t>(share_ * static_cast<double>(active_.size() + inactive_.size()));
      while (inactive_.size() < std::max<std::size_t>(target, 1) && !active_.empty()) {
        const std::uint64_t page = active_.back();
        active_.pop_back();
        const bool referenced = referenced_.erase(page) != 0;
        if (referenced && rotate_)
          allocate(page);
        else
          fall(page);
      }
      const std::uint64_t page = inactive_.back().page;
      if (!referenced_.contains(page)) return page;
      leave(page);
      allocate(page);
    }
  }

 private:
  struct Fallen {
    std::uint64_t page;
    bool unmapped;  // when it fell
  };
  bool inactive(std::uint64_t page) const {
    return std::any_of(inactive_.begin(), inactive_.end(), [page](const Fallen& other) { return other.page == page; });
  }
  void fall(std::uint64_t page) {
    std::erase_if(inactive_, [page](const Fallen& other) { return other.page == page; });
    const bool unmapped = !mappings_.mapped(page);
    auto place = unmapped ? inactive_.end() : inactive_.begin();
    if (unmapped && fifo_)
      place = std::find_if(inactive_.begin(), inactive_.end(), [](const Fallen& other) { return other.unmapped; });
    inactive_.insert(place, {page, unmapped});
  }

  const Mappings& mappings_;
  double share_;
  bool rotate_, fifo_, follow_;
  std::vector<std::uint64_t> active_;  // both from head to tail
  std::vector<Fallen> inactive_;
  std::set<std::uint64_t> referenced_;
};

// A memory of `capacity` pages under the policy; returns the number of evictions.
std::uint64_t run(Stream& stream, bool fifo) {
  const auto capacity = static_cast<std::uint32_t>(1 + stream.below(8));
  const double inactive = static_cast<double>(stream.below(5)) / 4;
  const bool rotate = stream.one_in(2), follow = !stream.one_in(4);
  const std::uint64_t objects = capacity;  // twice the pages that the memory has
  stream.tell("capacity ", capacity);
  Mappings mappings;
  Paper paper(mappings, inactive, rotate, fifo, follow);
  const PolicyChoice choice{"uflru", ParameterValues({{"inactive", inactive},
                                                      {"rotate", rotate},
                                                      {"follow", follow},
                                                      {"order", std::string(fifo ? "fifo" : "lifo")}})};
  const auto make = [&] {
    return Family<ReplacementPolicy>::make(choice, {.capacity = capacity, .mapped = &mappings});
  };
  auto policy = make();
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::vector<std::uint64_t> page_of(capacity, kNone);
  const auto slot_of = [&](std::uint64_t page) {
    return static_cast<Slot>(std::find(page_of.begin(), page_of.end(), page) - page_of.begin());
  };
  std::uint64_t evictions = 0;
  for (int step = 0; step < 60 && stream.goes_on(); ++step) {
    const std::uint64_t page = stream.below(objects * kObjectPages);
    const Slot slot = slot_of(page);
    const std::uint64_t what = stream.below(12);
    if (what < 3) {
      const std::uint64_t object = page / kObjectPages;
      const bool unmaps = mappings.objects.erase(object) != 0;
      if (!unmaps) mappings.objects.insert(object);
      stream.tell(unmaps ? "unmap " : "map ", object);
      for (std::uint64_t of = object * kObjectPages; of < (object + 1) * kObjectPages; ++of) {
        if (slot_of(of) == capacity) continue;
        policy->remapped(slot_of(of));
        paper.remapped(of);
      }
    } else if (slot != capacity && what == 3) {
      stream.tell("drop ", page);
      policy->dropped(slot);
      paper.leave(page);
      page_of[slot] = kNone;
    } else if (slot != capacity) {
      stream.tell("access ", page);
      policy->referenced(slot, Access::Write);
      paper.access(page);
    } else {
      stream.tell("allocate ", page);
      Slot to = slot_of(kNone);
      if (to == capacity) {
        to = policy->victim();
        const std::uint64_t leaves = paper.victim();
        stream.compare(page_of.at(to), leaves);
        ++evictions;
        policy->removed(to);
        paper.leave(leaves);
      }
      policy->inserted(to, page, Access::Write);
      paper.allocate(page);
      page_of[to] = page;
    }
    if (!stream.one_in(20)) continue;
    const auto before = std::exchange(policy, make());
    EXPECT_TRUE(load_state(*policy, saved(*before)));
  }
  return evictions;
}

TEST(UflruPaper, UnmappedPagesLeaveFirst) {
  for (const bool fifo : {false, true}) {
    std::uint64_t evictions = 0;
    agree_on(400, [&](Stream& stream) { evictions += run(stream, fifo); });
    EXPECT_TRUE(HasFailure() || evictions > 5000) << evictions;
  }
}

}  // namespace
}  // namespace flashloom::uflru_test
