#include "controllers/ftl/zones/final_state_log.hpp"

#include <utility>

namespace flashloom {

FinalStateLog::FinalStateLog(const ZonePart& ftl, ZoneBlocks& zone_blocks)
    : ZonePart(ftl), zone_blocks_(zone_blocks), used_(context_.media.endurance().limited()), states_(shape_.zones) {}

Task<void> FinalStateLog::record(std::uint32_t number, FinalState state) {
  if (!used_ || states_[number] >= state) co_return;
  const FinalState before = std::exchange(states_[number], state);
  bool recorded = !log_.empty() && zone_blocks_.has_room(log_.back(), 1) && !zone_blocks_.lets_fail(log_.back());
  if (recorded) {
    ProgramJob& job = zone_blocks_.begin(log_.back(), Origin::Padding);
    programmer_.jobs().place_gap(job, final_word(number, state));
    launch(job);
    co_await programmer_.jobs().all_done();
  } else {
    recorded = co_await rewrite(Origin::Padding);
  }
  if (!recorded) states_[number] = before;
}

Task<bool> FinalStateLog::rewrite(Origin origin) {
  const std::vector<BlockNumber> old = std::exchange(log_, {});
  ProgramJob* job = nullptr;
  for (std::uint32_t zone = 0; zone < shape_.zones; ++zone) {
    if (states_[zone] == FinalState::None) continue;
    if (job == nullptr) job = co_await begin();
    if (job == nullptr) {
      log_.insert(log_.begin(), old.begin(), old.end());
      co_return false;
    }
    programmer_.jobs().place_gap(*job, final_word(zone, states_[zone]));
    if (programmer_.jobs().full(*job)) launch(*std::exchange(job, nullptr));
  }
  if (job != nullptr) launch(*job);
  co_await programmer_.jobs().all_done();
  for (const BlockNumber block : old) {
    zone_blocks_.before_giving_back(block);
    zone_blocks_.give_back(block, origin);
  }
  co_return true;
}

Task<ProgramJob*> FinalStateLog::begin() {
  while (log_.empty() || !zone_blocks_.has_room(log_.back(), 1) || zone_blocks_.lets_fail(log_.back())) {
    const BlockNumber block = co_await zone_blocks_.open_anywhere();
    if (block == kNoBlockNumber) co_return nullptr;
    log_.push_back(block);
  }
  co_return &zone_blocks_.begin(log_.back(), Origin::Padding);
}

// Repeats the last word in the rest of the program unit.
void FinalStateLog::launch(ProgramJob& job) {
  const OobWord last = job.oob[job.filled - 1];
  while (!programmer_.jobs().full(job)) programmer_.jobs().place_gap(job, last);
  count_padded(units_per_program_);
  zone_blocks_.launch(job);
}

bool FinalStateLog::take(OobWord word) {
  const std::uint32_t number = layout_.parity_of(word);
  const std::uint32_t first = layout_.parity_of(final_word(0, FinalState::ReadOnly));
  if (number < first || number - first >= 2 * shape_.zones) return false;
  FinalState& state = states_[(number - first) / 2];
  state = std::max(state, (number - first) % 2 == 0 ? FinalState::ReadOnly : FinalState::Offline);
  return true;
}

void FinalStateLog::state(StateArchive& archive) {
  if (used_) archive(states_, log_);
}

}  // namespace flashloom
