// COLD on the host's side (J. K. Park, J. KSCI 21(2), 2016): data that are written together will be written again
// together. A detector of the family "correlation" examines a window of the pages written last, as it does with the
// dirty pages of a device buffer. A write that joins a set gets the set's identifier; a new set gets the next
// identifier in turn; pages in no set get identifier 0.
#include "policies/correlation/correlation.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "policies/host_placement/host_placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_placement::correlation {
namespace {

constexpr std::uint32_t kNoIdentifier = ~std::uint32_t{0};

ParameterValues threshold_values(std::int64_t threshold, std::int64_t limit) {
  return ParameterValues({{"threshold", threshold}, {"limit", limit}});
}

class ByCorrelation final : public HostPlacementPolicy {
 public:
  ByCorrelation(const HostPlacementContext& context, const ParameterValues& values)
      : identifiers_(context.identifiers),
        page_(context.page_bytes),
        slots_(static_cast<std::size_t>(values.get<std::int64_t>("window"))),
        detector_(Family<CorrelationDetector>::make(
            {values.get<std::string>("detector"),
             threshold_values(values.get<std::int64_t>("threshold"), static_cast<std::int64_t>(slots_.size()))},
            {.capacity = static_cast<std::uint32_t>(slots_.size()),
             .pages_per_block = static_cast<std::uint32_t>(slots_.size())})) {}

  std::optional<std::uint32_t> choose(const HostWrite& write) override {
    const std::uint64_t first = write.offset / page_;
    const std::uint64_t end = std::max(first + 1, (write.offset + write.length + page_ - 1) / page_);
    Slot last = kNoSlot;
    for (std::uint64_t page = first; page < end; ++page) last = written(page, write.number);
    members_.clear();
    detector_->set_of(last, members_);
    std::uint32_t identifier = members_.empty() ? 0 : kNoIdentifier;
    for (const Slot member : members_)
      if (identifier == kNoIdentifier && slots_[member].identifier != 0) identifier = slots_[member].identifier;
    if (identifier == kNoIdentifier) identifier = next_identifier();
    for (const Slot member : members_) slots_[member].identifier = identifier;
    return identifier;
  }
  void discarded(const HostWrite& trim) override {
    const std::uint64_t first = (trim.offset + page_ - 1) / page_;
    const std::uint64_t end = (trim.offset + trim.length) / page_;
    for (Slot slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot].used && slots_[slot].page >= first && slots_[slot].page < end) forget(slot);
  }

 private:
  struct Written {
    std::uint64_t page = 0;
    std::uint32_t identifier = 0;
    bool used = false;
  };

  // Puts the page into its slot, or the oldest one; of a write larger than the window the last pages stay.
  Slot written(std::uint64_t page, std::uint64_t number) {
    if (const auto found = slot_of_.find(page); found != slot_of_.end()) {
      slots_[found->second].identifier = 0;
      detector_->written(found->second, page, number);
      return found->second;
    }
    const auto slot = static_cast<Slot>(oldest_);
    oldest_ = oldest_ + 1 == slots_.size() ? 0 : oldest_ + 1;
    if (slots_[slot].used) forget(slot);
    slots_[slot] = {.page = page, .identifier = 0, .used = true};
    slot_of_[page] = slot;
    detector_->written(slot, page, number);
    return slot;
  }
  void forget(Slot slot) {
    slot_of_.erase(slots_[slot].page);
    slots_[slot].used = false;
    detector_->removed(slot);
  }
  std::uint32_t next_identifier() {
    if (identifiers_ == 1) return 0;
    turn_ = turn_ + 1 == identifiers_ ? 1 : turn_ + 1;
    return turn_;
  }

  std::uint32_t identifiers_;
  std::uint64_t page_;
  std::vector<Written> slots_;
  std::unique_ptr<CorrelationDetector> detector_;
  std::unordered_map<std::uint64_t, Slot> slot_of_;  // by page
  std::vector<Slot> members_;
  std::size_t oldest_ = 0;
  std::uint32_t turn_ = 0;
};

const Registration<HostPlacementPolicy> registration{
    {.name = "correlation",
     .summary = "data that are written together: sets in turn, 0 for what is in none",
     .source = "J. K. Park, J. KSCI 21(2), 2016 (COLD), on the host's side",
     .parameters = {{.name = "detector",
                     .default_value = std::string("request"),
                     .choices = {"request", "spatial", "temporal"},
                     .help = "of sets: a part of the family correlation"},
                    {.name = "threshold",
                     .default_value = std::int64_t{4},
                     .minimum = 2,
                     .maximum = 65536,
                     .choices = {},
                     .help = "pages of a set at least"},
                    {.name = "window",
                     .default_value = std::int64_t{1024},
                     .minimum = 2,
                     .maximum = 1 << 24,
                     .choices = {},
                     .help = "pages that the host wrote last and remembers"}}},
    [](const HostPlacementContext& context, const ParameterValues& values) {
      return std::make_unique<ByCorrelation>(context, values);
    }};

}  // namespace
}  // namespace flashloom::host_placement::correlation
