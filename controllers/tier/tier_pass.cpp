// The maintenance pass of a tier whose contents change in passes only, and when it begins.
#include <algorithm>
#include <utility>

#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/until.hpp"
#include "controllers/tier/tier.hpp"
#include "policies/memory_archive.hpp"

namespace flashloom {

Task<void> Tier::pass() {
  while (in_pass_ || !serving_) co_await pass_over_.wait();
  if (!traits_.in_passes || retired_) co_return;
  in_pass_ = true;
  TierPass pass{.begin = kernel_now()};
  // Writes go to both devices from before the copy of dirty segments to the HDD until the update bit is cleared on the
  // media, so that nothing becomes dirty.
  dual_ = true;
  policy_->begin_pass();
  const IoStatus status = co_await pass_steps(pass);
  policy_->end_pass();
  if (status == IoStatus::Ok) {
    dual_ = false;
    pass.end = last_pass_ = kernel_now();
    around_.statistics.passes.push_back(pass);
  }
  in_pass_ = false;
  pass_over_.wake_all();
  drained_.wake_all();
  if (status != IoStatus::Ok) co_await retire();
}

Task<IoStatus> Tier::pass_steps(TierPass& pass) {
  IoStatus status = co_await write_back_all(pass.written_back);
  if (status == IoStatus::Ok) status = co_await settle();
  if (status != IoStatus::Ok) co_return status;
  step(TierStep::PassBegin);
  status = co_await write_image(false, !fault(Fault::UpdateNotSaid));
  while (status == IoStatus::Ok) {
    const auto wanted = policy_->next_exchange(map_);
    if (!wanted) break;
    co_await host_rests();
    status = co_await evict(wanted->slot);
    if (status == IoStatus::Ok) status = co_await fill(*wanted);
    ++pass.filled;
  }
  if (status == IoStatus::Ok) status = co_await settle();
  if (status != IoStatus::Ok) co_return status;
  step(TierStep::PassEnd);
  status = co_await write_image(false, false);
  co_return status;
}

// Slots that hold a (dirty) segment, in the order of the segments, so that the HDD's heads move in one direction.
std::vector<Slot> Tier::slots_by_segment(bool all) const {
  std::vector<Slot> slots;
  for (Slot slot = 0; slot < map_.slots(); ++slot)
    if (map_.segment_of(slot) != kNoSegment && (all || dirty_[slot])) slots.push_back(slot);
  std::sort(slots.begin(), slots.end(), [this](Slot a, Slot b) { return map_.segment_of(a) < map_.segment_of(b); });
  return slots;
}

Task<IoStatus> Tier::write_back_all(std::uint64_t& segments) {
  const std::vector<Slot> slots = slots_by_segment(false);
  for (const Slot slot : slots) {
    co_await host_rests();
    const Segment segment = map_.segment_of(slot);
    co_await locks_.lock(segment, segment);
    const IoStatus status = co_await write_back(slot);
    locks_.unlock(segment, segment);
    if (status != IoStatus::Ok) co_return status;
    ++segments;
  }
  co_return IoStatus::Ok;
}

Task<IoStatus> Tier::write_image(bool clean, bool update) {
  TierImage image{.version = 0,
                  .clean = clean,
                  .update = update,
                  .retired = retired_,
                  .map = map_.segments(),
                  .dirty = dirty_,
                  .lost = lost_,
                  .policy = {}};
  if (shape_.tokens) {
    MemoryWriter policy;
    policy_->state(policy);
    image.policy = std::move(policy.bytes);
  }
  const IoStatus status = co_await metadata_.write(image);
  co_return status;
}

// A pass has the lowest priority: before each step it waits for an idle host, at most for tier.patience.
Task<void> Tier::host_rests() {
  const Picoseconds deadline = kernel_now() + config_.patience;
  while (requests_ != 0 && kernel_now() < deadline && serving_) {
    if (!std::exchange(alarmed_, true)) around_.runtime.spawn([this, deadline] { return alarm(deadline); });
    co_await idle_.wait();
  }
}

Task<void> Tier::alarm(Picoseconds at) {
  co_await Until(around_.timers, at);
  alarmed_ = false;
  idle_.wake_all();
}

// The earliest instant at which the next pass may begin.
Picoseconds Tier::next_pass() const {
  if (config_.pass == "daily") {
    const Picoseconds now = kernel_now();
    const Picoseconds today = now / config_.day * config_.day + config_.pass_at;
    return today > now ? today : today + config_.day;
  }
  const Picoseconds interval = last_pass_ == 0 ? 0 : last_pass_ + config_.pass_interval;
  return std::max(rested_at_ + config_.pass_idle, interval);
}

// Plans a pass only after a request: if nobody has used the tier since the last pass, none is needed.
void Tier::plan_pass() {
  if (planned_ || !traits_.in_passes || retired_ || config_.pass == "command") return;
  if (config_.pass == "idle" && requests_ != 0) return;
  planned_ = true;
  around_.runtime.spawn([this] { return pass_later(); });
}

Task<void> Tier::pass_later() {
  Picoseconds at = next_pass();
  co_await Until(around_.timers, at);
  if (config_.pass == "idle") {
    // Requests may have come and gone meanwhile; while one is there, its end will plan anew.
    while (requests_ == 0 && next_pass() > kernel_now()) {
      at = next_pass();
      co_await Until(around_.timers, at);
    }
    if (requests_ != 0) {
      planned_ = false;
      co_return;
    }
  }
  co_await pass();
  planned_ = false;
}

}  // namespace flashloom
