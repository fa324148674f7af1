#include "controllers/ftl/collect/relocator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {
namespace {

// Most units whose map entries are prefetched; maps of fewer units stay in the CPU's cache.
constexpr std::uint32_t kLookAhead = 16;
constexpr std::uint64_t kCachedUnits = 1 << 17;
constexpr std::uint32_t kWordsOfALine = 8;  // of memory, at least
// Copies decided on and carried out together, in whole program units.
constexpr std::uint32_t kTogether = 16;

}  // namespace

Relocator::Relocator(const FtlPart& part, Victims& victims, OpenBlocks& open)
    : FtlPart(part),
      victims_(victims),
      open_(open),
      copies_(open.copies()),
      found_(std::max(kTogether / units_per_program_, 1U) * units_per_program_) {}

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
// order, so the code avoids a branch: it stores every unit and advances only past valid ones.
std::uint32_t Relocator::find_valid(Victim& victim, const NandMedia::BlockWords& words, std::span<Moving> found) {
  const PhysicalUnit first = victim.from * blocks_.units_per_block();
  const std::uint32_t end = victim.end_unit;
  std::uint32_t index = victim.next_unit;
  std::uint32_t count = 0;
  for (; count != found.size() && index != end; ++index) {
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

// The map entries of a victim's units are spread over the whole table: prefetches those of the units that the next
// program unit of the host will copy, and the words of those behind. Collection goes from group to group, mostly in
// equal steps.
void Relocator::foresee(std::uint32_t group) {
  if (map_.size() <= kCachedUnits) return;
  const std::uint32_t groups = victims_.groups();
  const std::uint32_t next = (2 * group + groups - std::exchange(last_group_, group)) % groups;
  const Victim& victim = victims_[next];
  if (!victim.any() || blocks_[victim.from].pending != nullptr) return;
  const NandMedia::BlockWords words = victims_.words_of(victim.from);
  const std::uint32_t ahead = std::min(victim.copies_per_program + victim.copies_per_program / 2, kLookAhead);
  const std::uint32_t end = std::min(victim.next_unit + ahead, victim.end_unit);
  for (std::uint32_t index = victim.next_unit; index < end; ++index) {
    const OobWord word = words[index];
    if (layout_.is_data(word)) map_.prefetch_entry(layout_.unit(word));
  }
  for (std::uint32_t index = end; index < std::min(end + ahead, victim.end_unit); index += kWordsOfALine)
    words.prefetch(index);
}

// copy_now() for whole units of one erase unit that is all on flash; copy_now() handles the rest. Each run of copies,
// into one program unit or into several that need no job, is first found, then decided on, then carried out.
void Relocator::copy_runs(std::uint32_t group, std::uint32_t& units) {
  Victim& victim = victims_[group];
  BlockInfo& info = blocks_[victim.from];
  if (info.pending != nullptr) return;  // some of its data may not be on flash yet
  ProgramJob*& job = copies_[group].job;
  const NandMedia::BlockWords words = victims_.words_of(victim.from);
  while (units != 0 && info.valid != 0) {
    const BlockNumber to = job != nullptr ? job->block : copies_.next_place(group);
    if (to == kNoBlockNumber) return;
    const std::uint32_t wanted = std::min(units, info.valid);
    const bool direct = job == nullptr && wanted >= units_per_program_ && programmer_.direct().suit(to);
    if (job == nullptr && !direct) copies_.begin(group);
    std::size_t room = found_.size();
    if (direct)
      room = std::min<std::size_t>({room, wanted - wanted % units_per_program_,
                                    (context_.geometry.pages - blocks_[to].allocated) * units_per_page_});
    else
      room = std::min<std::size_t>({room, wanted, programmer_.jobs().room(*job)});
    const std::span<Moving> most = std::span(found_).first(room);
    const std::span<const Moving> run = most.first(find_valid(victim, words, most));
    if (run.size() != most.size()) throw std::logic_error("a victim has fewer valid units than its count says");
    PhysicalUnit place = direct ? programmer_.direct().allot(to, run) : programmer_.jobs().place_copies(*job, run);
    for (const Moving& what : run) {
      map_.set_entry(what.unit, place++);
      if (listener_ != nullptr) [[unlikely]]
        listener_->moved(group, what.unit);
    }
    const auto count = static_cast<std::uint32_t>(run.size());
    blocks_.move_valid(info, to, count);
    victim.source->units_moved() += count;
    units -= count;
    if (direct) {
      copies_.close_if_full(group, to);
      programmer_.direct().copy(to, victim.source->origin(), victim.from, run);
    } else if (programmer_.jobs().full(*job)) {
      copies_.launch(group);
    }
  }
  foresee(group);
}

bool Relocator::copy_now(std::uint32_t group, std::uint32_t& units) {
  Victim& victim = victims_[group];
  ProgramJob*& job = copies_[group].job;
  const bool shared = copies_.shared();
  if (!shared && blocks_.one_by_one() && sizes_ == nullptr && programmer_.failure_handler() == nullptr)
    copy_runs(group, units);
  const auto wanted = [&] { return units != 0 || (shared && job != nullptr); };
  if (!wanted()) return true;
  std::uint64_t& count = victim.source->units_moved();
  do {
    BlockInfo& info = blocks_[victim.from];
    const NandMedia::BlockWords words = victims_.words_of(victim.from);
    const auto word_of = [&](std::uint32_t at) { return Victims::word_of(info, words, at); };
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
