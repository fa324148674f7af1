// The scheme of Linux's page reclaim: pages enter an active list, and are evicted from the tail of an inactive one.
// References only set a page's reference bit. When a victim is needed and the inactive list is too short, pages at the
// tail of the active list are demoted; a page at the tail of the inactive list with its bit set gets a second chance at
// the head of the active list. The derived policy's fall() says where a demoted page goes.
#pragma once

#include <algorithm>
#include <utility>

#include "policies/replacement/policy_core.hpp"

namespace flashloom {

class TwoLists : public PolicyCore<PageEntry, 3, 3> {
 public:
  void hit(PageIndex page, Access) { pages_[page].mark = 1; }
  void evict(PageIndex page) { pages_.release(page); }
  void insert(PageIndex page, Access) {
    pages_[page].mark = 0;
    pages_.push_front(kActive, page);
  }

  /// Parameters of every policy with this scheme.
  static std::vector<ParameterSpec> parameters() {
    return {
        {.name = "inactive",
         .default_value = 0.5,
         .dimension = Dimension::Ratio,
         .minimum = 0,
         .maximum = 1,
         .choices = {},
         .help = "share of the resident pages up to which the inactive list is filled; Linux: 50 % below 1 GiB"},
        {.name = "rotate",
         .default_value = true,
         .choices = {},
         .help = "a referenced page at the tail of the active list goes round once more; Linux: not anonymous pages"}};
  }

 protected:
  // The unmapped list extends the inactive list's tail. Empty unless fall() fills it.
  enum List : std::uint8_t { kActive, kInactive, kUnmapped };

  TwoLists(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context), inactive_(values.get<double>("inactive")), rotate_(values.get<bool>("rotate")) {}

  template <class Fall>
  PageIndex victim_of(Fall fall) {
    while (true) {
      fill_inactive(fall);
      const PageIndex page = pages_.empty(kUnmapped) ? pages_.back(kInactive) : pages_.back(kUnmapped);
      if (page == kNoPage || std::exchange(pages_[page].mark, 0) == 0) return page;
      pages_.move_to_front(kActive, page);
    }
  }

 private:
  template <class Fall>
  void fill_inactive(Fall fall) {
    const auto inactive = [this] { return pages_.size(kInactive) + pages_.size(kUnmapped); };
    const auto target = static_cast<std::uint32_t>(inactive_ * (pages_.size(kActive) + inactive()));
    while (inactive() < std::max(target, 1U) && !pages_.empty(kActive)) {
      const PageIndex page =
          rotate_ ? spare_from_back(kActive, [](PageEntry& entry) { return std::exchange(entry.mark, 0) != 0; })
                  : pages_.back(kActive);
      pages_[page].mark = 0;
      fall(page);
    }
  }

  double inactive_;  // target share of the inactive list
  bool rotate_;
};

}  // namespace flashloom
