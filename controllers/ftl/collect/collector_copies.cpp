// Selects the valid units of a victim and copies them, as far as this needs no waiting.
#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {
namespace {

// Units whose map entries are prefetched: about a memory latency's worth of copying.
constexpr std::uint32_t kLookAhead = 16;
constexpr std::uint32_t kMostTogether = 16;  // copies decided on and carried out as a batch

}  // namespace

// Calls put(moving) for the next valid units of the group's source block, while `wanted()`. False if put() had no place
// for a unit; the next call begins with that unit.
template <class WordOf, class Wanted, class Put>
bool Collector::for_each_valid(GroupState& state, WordOf word_of, Wanted wanted, Put put) {
  const BlockInfo& info = blocks_[state.from];
  const PhysicalUnit first = state.from * blocks_.units_per_block();
  const std::uint32_t end = state.end_unit;
  std::uint32_t index = state.next_unit;
  for (; info.valid != 0 && wanted() && index != end; ++index) {
    if (index + kLookAhead < end) {
      // Map entries of a victim are spread over the whole table: prefetch them. A wrong address does no harm.
      map_.prefetch_entry(layout_.unit(word_of(index + kLookAhead)));
    }
    const OobWord word = word_of(index);
    if (!layout_.is_data(word)) continue;
    const std::uint32_t unit = layout_.unit(word);
    if (map_.entry(unit) != first + index) continue;
    if (!put(Moving{unit, word, first + index})) {
      state.next_unit = index;
      return false;
    }
  }
  state.next_unit = index;
  return true;
}

// Finds as many valid units as `found` has room for. About half of a victim's units are valid, in an unpredictable
// order, so the code avoids a branch: it stores every unit and advances only past valid ones. The words that name the
// map entries to prefetch are prefetched themselves.
std::uint32_t Collector::find_valid(GroupState& state, const NandMedia::BlockWords& words, std::span<Moving> found) {
  const PhysicalUnit first = state.from * blocks_.units_per_block();
  const std::uint32_t end = state.end_unit;
  std::uint32_t index = state.next_unit;
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
  state.next_unit = index;
  return count;
}

// A unit of the victim has been copied to `place`.
inline void Collector::moved(std::uint32_t group, BlockInfo& from, const Moving& what, PhysicalUnit place) {
  map_.set_entry(what.unit, place);
  if (moves_ != nullptr) moves_->moved(group, what.unit);
  blocks_.validate(place);
  blocks_.copied_out(from, what.word, what.source);
}

// copy_now() for copies whose program units need no job; copy_now() handles the rest. Each batch of copies from one
// block to one other is first found, then decided on, then carried out.
void Collector::copy_directly(std::uint32_t group, std::uint32_t& units, std::uint64_t age) {
  GroupState& state = groups_[group];
  BlockInfo& info = blocks_[state.from];
  if (info.pending != nullptr) return;  // some of its data may not be on flash yet
  const NandMedia::BlockWords words = words_of(state.from);
  std::array<Moving, kMostTogether> found;
  while (units != 0 && info.valid != 0) {
    const BlockNumber to = place_for_copies(group);
    if (to == kNoBlockNumber || !state.failures.empty() || !programmer_.direct().suit(to)) return;
    const std::uint32_t most =
        std::min({units, info.valid, kMostTogether, context_.geometry.pages - blocks_[to].allocated});
    const std::uint32_t count = find_valid(state, words, std::span(found).first(most));
    if (count == 0) return;
    const std::span<const Moving> run(found.data(), count);
    PhysicalUnit place = programmer_.direct().allot(to, run);
    for (const Moving& what : run) {
      map_.set_entry(what.unit, place++);
      if (moves_ != nullptr) [[unlikely]]
        moves_->moved(group, what.unit);
    }
    blocks_.move_valid(info, to, count);
    units_of_origin(state) += count;
    units -= count;
    close_if_full(group, to, age);
    programmer_.direct().copy(to, state.origin, state.from, run);
    if (count != most) return;  // the remaining valid units are in another stripe or member
  }
}

bool Collector::copy_now(std::uint32_t group, std::uint32_t& units, std::uint64_t age) {
  if (copies_streams_.empty()) [[likely]]
    return copy_units(group, units, age);
  const std::uint64_t& moved = units_of_origin(groups_[group]);
  const std::uint64_t before = moved;
  const std::uint32_t stream = stream_of_victim(group);
  const bool all = copy_units(group, units, age);
  const FdpConfig& fdp = context_.config.fdp;
  if (stream < fdp.groups * fdp.handles) statistics_.streams[stream].units_moved += moved - before;
  return all;
}

bool Collector::copy_units(std::uint32_t group, std::uint32_t& units, std::uint64_t age) {
  GroupState& state = groups_[group];
  if (programmer_.direct().any() && state.job == nullptr && shared_ == nullptr && blocks_.one_by_one())
    copy_directly(group, units, age);
  const auto wanted = [&] { return units != 0 || (shared_ != nullptr && state.job != nullptr); };
  if (!wanted()) return true;
  std::uint64_t& count = units_of_origin(state);
  do {
    BlockInfo& info = blocks_[state.from];
    const NandMedia::BlockWords words = words_of(state.from);
    const bool all = for_each_valid(
        state, [&](std::uint32_t index) { return info.pending != nullptr ? info.pending->oob[index] : words[index]; },
        wanted,
        [&](const Moving& what) {
          if (state.job != nullptr && !programmer_.jobs().fits(*state.job, what.word)) pad(group, age);
          if (state.job == nullptr && !begin_copies(group)) return false;
          moved(group, info, what, programmer_.jobs().place_copy(*state.job, what.word, what.source));
          ++count;
          if (units != 0) --units;
          if (programmer_.jobs().full(*state.job))
            launch(group, age);
          else if (units == 0 && shared_ != nullptr && !programmer_.jobs().fits_whole(*state.job))
            pad(group, age);  // the next unit might not fit
          return true;
        });
    if (!all) return false;
  } while (wanted() && next_stripe(state));
  return true;
}

// Moves on to the next stripe or member with valid units.
bool Collector::next_stripe(GroupState& state) const {
  if (emptied(state)) return false;
  const Superblocks& all = blocks_.superblocks();
  do {
    if (state.from_member + 1 == all.members() && state.end_unit >= blocks_.units_of(state.from))
      throw std::logic_error("a victim has fewer valid units than its count says");
    if (++state.from_member == all.members()) {
      state.from_member = 0;
      state.end_unit += stripe_units_;
    }
    state.from = all.member(state.victim, state.from_member);
  } while (blocks_[state.from].valid == 0);
  state.next_unit = state.end_unit - stripe_units_;
  return true;
}

// Waiting host data in a shared block are padded and programmed first; else copies would follow that program unit and
// wait with it for more data. It may be the block's last program unit.
BlockNumber Collector::open_for_copies(std::uint32_t group) {
  while (true) {
    const BlockNumber open = blocks_.one_by_one() ? place_for_copies(group) : next_open_member(group);
    if (shared_ == nullptr || open == kNoBlockNumber) return open;
    holder_->make_way(open);
    if (blocks_[open].state == BlockState::Open) return open;
  }
}

// Begins the group's next program unit of copies; false if a block must be opened first.
bool Collector::begin_copies(std::uint32_t group) {
  GroupState& state = groups_[group];
  BlockNumber open = open_for_copies(group);
  while (open != kNoBlockNumber && programmer_.failures().next_fails(open)) [[unlikely]] {
      state.failures.push_back(programmer_.failures().fail(open));
      vacate(group, open);
      if (programmer_.exposed().possible()) give_up_failures(group);
      open = open_for_copies(group);
    }
  if (open == kNoBlockNumber) return false;
  state.job = &programmer_.jobs().begin(open, state.origin);
  state.job->owners[0] = state.collection;
  if (!state.failures.empty()) [[unlikely]]
    try_first(*state.job, state.failures);
  return true;
}

}  // namespace flashloom
