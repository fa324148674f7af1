// Records of final zone states, which survive power cuts: one word in separate erase units for each state change. Zones
// never leave a final state, so the strongest state found counts. All records are rewritten when an erase unit is full,
// and in each mount.
#include <utility>
#include <vector>

#include "controllers/ftl/zones/zoned_ftl.hpp"

namespace flashloom {

Task<void> ZonedFtl::note_end(std::uint32_t number, Ended ended) {
  if (!notes_ends_ || ended_[number] >= ended) co_return;
  const Ended before = std::exchange(ended_[number], ended);
  bool noted = !notes_.empty() && has_room(notes_.back(), 1) && !lets_fail(notes_.back());
  if (noted) {
    ProgramJob& job = programmer_.jobs().begin(notes_.back(), Origin::Padding);
    carry(job);
    programmer_.jobs().place_gap(job, state_word(number, ended));
    launch_note(job);
    co_await programmer_.jobs().all_done();
  } else {
    noted = co_await note_all(Origin::Padding);
  }
  if (!noted) ended_[number] = before;
}

Task<bool> ZonedFtl::note_all(Origin origin) {
  const std::vector<BlockNumber> old = std::exchange(notes_, {});
  ProgramJob* job = nullptr;
  for (std::uint32_t zone = 0; zone < shape_.zones(); ++zone) {
    if (ended_[zone] == Ended::No) continue;
    if (job == nullptr) job = co_await begin_note();
    if (job == nullptr) {
      notes_.insert(notes_.begin(), old.begin(), old.end());
      co_return false;
    }
    programmer_.jobs().place_gap(*job, state_word(zone, ended_[zone]));
    if (programmer_.jobs().full(*job)) launch_note(*std::exchange(job, nullptr));
  }
  if (job != nullptr) launch_note(*job);
  co_await programmer_.jobs().all_done();
  for (const BlockNumber block : old) {
    carry_before_giving_back(block);
    give_back(block, origin);
  }
  co_return true;
}

Task<ProgramJob*> ZonedFtl::begin_note() {
  while (notes_.empty() || !has_room(notes_.back(), 1) || lets_fail(notes_.back())) {
    const BlockNumber block = co_await open_anywhere();
    if (block == kNoBlockNumber) co_return nullptr;
    notes_.push_back(block);
  }
  ProgramJob& job = programmer_.jobs().begin(notes_.back(), Origin::Padding);
  carry(job);
  co_return &job;
}

// Repeats the last word in the rest of the program unit.
void ZonedFtl::launch_note(ProgramJob& job) {
  const OobWord last = job.oob[job.filled - 1];
  while (!programmer_.jobs().full(job)) programmer_.jobs().place_gap(job, last);
  count_padded(units_per_program_);
  launch(job);
}

}  // namespace flashloom
