// Linux's second chance on two lists (two_lists.hpp): demoted pages go to the head of the inactive list. O(1),
// amortized over the references.
#include "policies/replacement/registration.hpp"
#include "policies/replacement/two_lists.hpp"

namespace flashloom::replacement::active_inactive {
namespace {

class ActiveInactive final : public TwoLists {
 public:
  ActiveInactive(const ReplacementContext& context, const ParameterValues& values) : TwoLists(context, values) {}

  PageIndex victim() {
    return victim_of([this](PageIndex page) { pages_.move_to_front(kInactive, page); });
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"active", numbers(kActive)}, {"inactive", numbers(kInactive)}};
  }
};

const ReplacementRegistration<ActiveInactive> registration{
    {.name = "active_inactive",
     .summary = "an active and an inactive list, with second chances",
     .source = "Linux 3.15, mm/vmscan.c; M. Gorman, Understanding the Linux Virtual Memory Manager, chapter 10",
     .parameters = TwoLists::parameters()}};

}  // namespace
}  // namespace flashloom::replacement::active_inactive
