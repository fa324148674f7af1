#include "controllers/ftl/collect/relocator.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {
namespace {

// Units whose map entries are prefetched: about a memory latency's worth of copying.
constexpr std::uint32_t kLookAhead = 16;
constexpr std::uint32_t kMostTogether = 16;  // copies decided on and carried out as a batch

}  // namespace

void Relocator::attach(MoveListener& listener) {
  if (filter_ == nullptr)
    listener_ = &listener;
  else
    filter_->pass_on_to(listener);
}

void Relocator::set_filter(std::unique_ptr<MoveFilter> filter) {
  filter_ = std::move(filter);
  listener_ = filter_.get();
}

// Finds as many valid units as `found` has room for. About half of a victim's units are valid, in an unpredictable
// order, so the code avoids a branch: it stores every unit and advances only past valid ones. The words that name the
// map entries to prefetch are prefetched themselves.
std::uint32_t Relocator::find_valid(Victim& victim, const NandMedia::BlockWords& words, std::span<Moving> found) {
  const PhysicalUnit first = victim.from * blocks_.units_per_block();
  const std::uint32_t end = victim.end_unit;
  std::uint32_t index = victim.next_unit;
  std::uint32_t count = 0;
  if (index == 0) [[unlikely]]
    for (std::uint32_t i = 0; i < std::min(kLookAhead, end); ++i) map_.prefetch_entry(layout_.unit(words[i]));
  for (; count != found.size() && index != end; ++index) {
    if (index % 8 == 0) words.prefetch(index + 2 * kLookAhead);  // a cache line holds at least eight words
    if (index + kLookAhead < end) map_.prefetch_entry(layout_.unit(words[index + kLookAhead]));
    const OobWord word = words[index];
    if (!layout_.is_data(word)) [[unlikely]]
      continue;
    const std::uint32_t unit = layout_.unit(word);
    found[count] = {unit, word, first + index};
    count += static_cast<std::uint32_t>(map_.entry(unit) == first + index);
  }
  victim.next_unit = index;
  return count;
}

// copy_now() for copies whose program units need no job; copy_now() handles the rest. Each batch of copies from one
// block to one other is first found, then decided on, then carried out.
void Relocator::copy_directly(std::uint32_t group, std::uint32_t& units) {
  Victim& victim = victims_[group];
  BlockInfo& info = blocks_[victim.from];
  if (info.pending != nullptr) return;  // some of its data may not be on flash yet
  const NandMedia::BlockWords words = victims_.words_of(victim.from);
  std::array<Moving, kMostTogether> found;
  while (units != 0 && info.valid != 0) {
    const BlockNumber to = copies_.next_place(group);
    if (to == kNoBlockNumber || !programmer_.direct().suit(to)) return;
    const std::uint32_t most =
        std::min({units, info.valid, kMostTogether, context_.geometry.pages - blocks_[to].allocated});
    const std::uint32_t count = find_valid(victim, words, std::span(found).first(most));
    if (count == 0) return;
    const std::span<const Moving> run(found.data(), count);
    PhysicalUnit place = programmer_.direct().allot(to, run);
    for (const Moving& what : run) {
      map_.set_entry(what.unit, place++);
      if (listener_ != nullptr) [[unlikely]]
        listener_->moved(group, what.unit);
    }
    blocks_.move_valid(info, to, count);
    victim.source->units_moved() += count;
    units -= count;
    copies_.close_if_full(group, to);
    programmer_.direct().copy(to, victim.source->origin(), victim.from, run);
    if (count != most) return;  // the remaining valid units are in another stripe or member
  }
}

bool Relocator::copy_now(std::uint32_t group, std::uint32_t& units) {
  Victim& victim = victims_[group];
  ProgramJob*& job = copies_[group].job;
  const bool shared = copies_.shared();
  if (programmer_.direct().any() && job == nullptr && !shared && blocks_.one_by_one()) copy_directly(group, units);
  const auto wanted = [&] { return units != 0 || (shared && job != nullptr); };
  if (!wanted()) return true;
  std::uint64_t& count = victim.source->units_moved();
  do {
    BlockInfo& info = blocks_[victim.from];
    const NandMedia::BlockWords words = victims_.words_of(victim.from);
    const auto word_of = [&](std::uint32_t at) { return info.pending != nullptr ? info.pending->oob[at] : words[at]; };
    const PhysicalUnit first = victim.from * blocks_.units_per_block();
    const std::uint32_t end = victim.end_unit;
    std::uint32_t index = victim.next_unit;
    for (; info.valid != 0 && wanted() && index != end; ++index) {
      // Map entries of a victim are spread over the whole table: prefetch them. A wrong address does no harm.
      if (index + kLookAhead < end) map_.prefetch_entry(layout_.unit(word_of(index + kLookAhead)));
      const OobWord word = word_of(index);
      if (!layout_.is_data(word)) continue;
      const std::uint32_t unit = layout_.unit(word);
      if (map_.entry(unit) != first + index) continue;
      if (job != nullptr && !programmer_.jobs().fits(*job, word)) copies_.pad(group);
      if (job == nullptr && !copies_.begin(group)) {
        victim.next_unit = index;
        return false;
      }
      const PhysicalUnit place = programmer_.jobs().place_copy(*job, word, first + index);
      map_.set_entry(unit, place);
      if (listener_ != nullptr) listener_->moved(group, unit);
      blocks_.validate(place);
      blocks_.copied_out(info, word, first + index);
      ++count;
      if (units != 0) --units;
      if (programmer_.jobs().full(*job))
        copies_.launch(group);
      else if (units == 0 && shared && !programmer_.jobs().fits_whole(*job))
        copies_.pad(group);  // the next unit might not fit
    }
    victim.next_unit = index;
  } while (wanted() && victims_.next_stripe(victim));
  return true;
}

Task<void> Relocator::copy(std::uint32_t group, std::uint32_t units) {
  while (!copy_now(group, units)) {
    if (GcUnitOpener* const gc_units = open_.gc_units()) {
      const bool opened = co_await gc_units->open_for_copies(group);
      if (!opened) co_return;
      continue;
    }
    const BlockNumber victim = victims_[group].gc_unit;
    VictimSource& source = *victims_[group].source;
    if (source.gives_up(group)) {
      collected(group);
      victims_.give_up(group);
      copies_.try_padding(group);
      co_return;
    }
    if (lacks_room(group)) [[unlikely]] {
      // Failed programs have used up the reserve. The remaining space is kept for data that the buffer has accepted.
      blocks_.spare().wear_down();
      copies_.try_padding(group);
      co_return;
    }
    // Where nothing is gained: as for host data, another block must be free after a power cut.
    BlockNumber& open = copies_.next_place(group);
    open =
        co_await open_.open_block(copies_.bank_for(victim), copies_.stream_for(victim), FreeUse::Data, !source.gains());
  }
}

// Whether no block may be opened for copies any more.
bool Relocator::lacks_room(std::uint32_t group) const {
  const std::uint32_t free = blocks_.free().of_die(group);
  if (blocks_.spare().may_run_out() && free <= 1) return true;
  if (!blocks_.spare().keeps_room() || free == 0) return false;
  const std::uint32_t bank = blocks_.free().bank_with_room(copies_.bank_for(victims_[group].gc_unit));
  return blocks_.spare().lacks_room(blocks_.next_free(bank));
}

}  // namespace flashloom
