// Start and stop of a tier, and the end of its SSD.
#include <algorithm>
#include <numeric>
#include <utility>

#include "controllers/runtime/fault.hpp"
#include "controllers/tier/tier.hpp"
#include "policies/memory_archive.hpp"

namespace flashloom {

Task<void> Tier::start() {
  serving_ = false;
  IoStatus status = co_await metadata_.load();
  const TierImage& image = metadata_.image();
  lost_ = image.lost;
  retired_ = image.retired;
  // The changes since the image are unknown, and so is which segments are on the SSD, and where.
  if (status != IoStatus::Ok && !retired_ && traits_.has_journal()) {
    lost_.resize(layout_.segments);
    std::iota(lost_.begin(), lost_.end(), Segment{0});
  }
  if (!retired_ && status == IoStatus::Ok) status = co_await recover();
  if (status != IoStatus::Ok) co_await retire();
  serving_ = true;
  serves_.wake_all();
  pass_over_.wake_all();
}

Task<IoStatus> Tier::recover() {
  const TierImage image = metadata_.image();
  if (!image.policy.empty()) {
    MemoryReader policy(image.policy);
    policy_->state(policy);
  }
  const bool known = traits_.in_passes || traits_.has_journal() || image.clean;
  for (Slot slot = 0; slot < map_.slots() && known && traits_.caches; ++slot)
    if (image.map[slot] != kNoSegment) {
      map_.set(slot, image.map[slot]);
      if (traits_.fills_from_reads) sectors_.set_whole(slot, true);
    }
  policy_->recovered(map_);
  IoStatus status = IoStatus::Ok;
  if (traits_.has_journal())
    dirty_ = ahead_ = image.dirty;
  else if (traits_.in_passes && image.version != 0)
    status = co_await recover_by_passes(image);
  else if (image.clean)
    status = co_await write_image(false, false);
  co_return status;
}

Task<IoStatus> Tier::recover_by_passes(const TierImage& image) {
  const std::vector<Slot> slots = slots_by_segment(true);
  // Power cut in a pass: nothing was dirty, and the contents of the SSD are undefined: warm start. Otherwise it is not
  // known which segments are dirty, so all count as dirty.
  const bool copies = !image.clean && !fault(Fault::StartCopiesNothing);
  if (copies && !image.update) {
    dirty_.assign(map_.slots(), true);
    ahead_ = dirty_;
  }
  for (const Slot slot : slots) {
    if (!copies) break;
    step(TierStep::Recover, map_.segment_of(slot));
    IoStatus status = IoStatus::Ok;
    if (image.update)
      status = co_await copy(around_.home, home_of(map_.segment_of(slot)), around_.cache, place_of(slot));
    else
      status = co_await write_back(slot);
    if (status != IoStatus::Ok) co_return status;
  }
  dirty_.assign(map_.slots(), false);
  ahead_ = dirty_;
  IoStatus status = co_await settle();
  if (status != IoStatus::Ok) co_return status;
  if (fault(Fault::CleanNotTaken)) co_return IoStatus::Ok;
  step(TierStep::Started);
  status = co_await write_image(false, false);
  co_return status;
}

Task<void> Tier::stop() {
  while (in_pass_) co_await pass_over_.wait();
  serving_ = false;
  idle_.wake_all();
  while (transfers_ != 0 || exchanges_ != 0) co_await drained_.wait();
  std::uint64_t segments = 0;
  IoStatus status = IoStatus::Ok;
  if (traits_.in_passes && !retired_) status = co_await write_back_all(segments);
  if (status == IoStatus::Ok) status = co_await settle();
  drop_partial_segments();
  if (status == IoStatus::Ok && traits_.caches && !traits_.has_journal() && !retired_)
    status = co_await write_image(true, false);
  if (status != IoStatus::Ok) co_await retire();
  serving_ = false;
}

// The SSD has failed: copies the dirty segments that can still be read to the HDD; of the others those are lost to which
// a write has gone. From then on the tier uses the HDD alone; an image says so before any segment is written of which
// the SSD has an older copy.
Task<void> Tier::retire() {
  if (std::exchange(retiring_, true)) {
    while (!retired_) co_await serves_.wait();
    co_return;
  }
  cache_failed_ = true;
  serving_ = false;
  idle_.wake_all();
  changed_.wake_all();
  while (transfers_ != 0 || exchanges_ != 0 || in_pass_) co_await drained_.wait();
  const std::vector<Slot> slots = slots_by_segment(false);
  for (const Slot slot : slots) {
    const IoStatus status = co_await write_back(slot);
    if (status != IoStatus::Ok && ahead_[slot] && !fault(Fault::LossNotWritten)) lost_.push_back(map_.segment_of(slot));
  }
  std::sort(lost_.begin(), lost_.end());
  retired_ = true;
  dual_ = false;
  for (Slot slot = 0; slot < map_.slots(); ++slot) map_.clear(slot);
  co_await settle();
  co_await write_image(false, false);
  serving_ = true;
  serves_.wake_all();
  pass_over_.wake_all();
  changed_.wake_all();
}

}  // namespace flashloom
