#include "workloads/composite/concat_source.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace flashloom {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

ConcatSource::ConcatSource(std::vector<SourceOpener> parts, std::uint64_t gap_ps)
    : parts_(std::move(parts)), gap_ps_(gap_ps) {
  if (parts_.empty()) throw std::invalid_argument("ConcatSource: no parts");
  for (const SourceOpener& open : parts_) timed_ = open()->timed() && timed_;
}

bool ConcatSource::next(Request& request) {
  while (part_ == nullptr || !part_->next(request))
    if (!open_next()) return false;
  begun_ = true;
  if (!timed_) {
    request.arrival_ps = 0;
    return true;
  }
  if (request.arrival_ps > kMost - base_ps_) too_long();
  request.arrival_ps += base_ps_;
  latest_ps_ = request.arrival_ps;
  return true;
}

bool ConcatSource::open_next() {
  if (opened_ == parts_.size()) return false;
  if (part_ != nullptr) clamped_ += part_->clamped_times();
  if (begun_) {  // a part without requests adds no gap
    if (gap_ps_ > kMost - latest_ps_) too_long();
    base_ps_ = latest_ps_ + gap_ps_;
  }
  part_ = parts_[opened_++]();
  return true;
}

void ConcatSource::too_long() const {
  throw WorkloadError(position(), "the sources one after another last longer than 213 days");
}

SourcePosition ConcatSource::position() const { return part_ == nullptr ? SourcePosition{} : part_->position(); }

std::uint64_t ConcatSource::clamped_times() const { return clamped_ + (part_ == nullptr ? 0 : part_->clamped_times()); }

}  // namespace flashloom
