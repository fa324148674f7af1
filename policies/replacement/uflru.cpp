// UFLRU (unmapped object first LRU): active_inactive, in which a page demoted to the inactive list goes to its tail if
// its object is unmapped, else to its head, so that pages of unmapped objects are evicted first. Among these the one
// demoted last goes first (`order = "lifo"`, as published: tail insertion, tail eviction), or the one demoted first
// ("fifo", not in the paper: they queue between the mapped pages and the tail). The paper does not cover inactive
// pages whose object is then mapped or unmapped: with `follow` they are demoted anew, else they stay. O(1), amortized.
#include "policies/replacement/registration.hpp"
#include "policies/replacement/two_lists.hpp"

namespace flashloom::replacement::uflru {
namespace {

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> all = TwoLists::parameters();
  all.push_back({.name = "order",
                 .default_value = std::string("lifo"),
                 .choices = {"lifo", "fifo"},
                 .help = "which of the unmapped inactive pages leaves: the one that fell last, or first"});
  all.push_back({.name = "follow",
                 .default_value = true,
                 .choices = {},
                 .help = "an inactive page moves when its object is mapped or unmapped"});
  return all;
}

class UfLru final : public TwoLists {
 public:
  UfLru(const ReplacementContext& context, const ParameterValues& values)
      : TwoLists(context, values),
        mapped_(context.mapped),
        fifo_(values.get<std::string>("order") == "fifo"),
        follow_(values.get<bool>("follow")) {}

  PageIndex victim() {
    return victim_of([this](PageIndex page) { fall(page); });
  }
  void remapped(PageIndex page) {
    if (follow_ && pages_[page].list != kActive) fall(page);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"active", numbers(kActive)}, {"inactive", numbers(kInactive)}, {"unmapped", numbers(kUnmapped)}};
  }

 private:
  void fall(PageIndex page) {
    if (mapped_ == nullptr || mapped_->mapped(pages_[page].tag))
      pages_.move_to_front(kInactive, page);
    else if (fifo_)
      pages_.move_to_front(kUnmapped, page);
    else
      pages_.move_to_back(kUnmapped, page);
  }

  const MappedView* mapped_;
  bool fifo_;
  bool follow_;
};

const ReplacementRegistration<UfLru> registration{
    {.name = "uflru",
     .summary = "an active and an inactive list; pages of unmapped objects leave first",
     .source =
         "UFLRU: a persistent object swapping algorithm for the hierarchical structure of non-volatile memory and "
         "flash memory; the object store: T. Hwang, J. Jung, Y. Won, HEAPO, ACM TOS 11(1), 2014",
     .parameters = parameters()}};

}  // namespace
}  // namespace flashloom::replacement::uflru
