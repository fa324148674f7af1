#include "workloads/generators/section_logs.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

SectionLogs::SectionLogs(std::uint32_t sections, std::uint32_t blocks, std::uint32_t logs, std::uint32_t logical)
    : blocks_(blocks),
      place_(logical, kNowhere),
      owner_(std::size_t{sections} * blocks, kNowhere),
      valid_(sections),
      age_(sections),
      state_(sections, State::Free),
      open_(logs) {
  for (std::uint32_t section = 0; section < sections; ++section) free_.push_back(section);
}

void SectionLogs::note_empty(std::uint32_t section) {
  if (state_[section] != State::Full || valid_[section] != 0) return;
  state_[section] = State::Empty;
  empty_.push_back(section);
}

void SectionLogs::invalidate(std::uint32_t logical) {
  const std::uint32_t place = std::exchange(place_[logical], kNowhere);
  if (place == kNowhere) return;
  owner_[place] = kNowhere;
  --valid_[place / blocks_];
  note_empty(place / blocks_);
}

std::uint32_t SectionLogs::append(std::uint32_t log, std::uint32_t logical) {
  invalidate(logical);
  Log& open = open_[log];
  if (open.section == kNowhere) {
    open = {free_.front(), 0};
    free_.pop_front();
    state_[open.section] = State::Open;
    age_[open.section] = 0;
  }
  const std::uint32_t section = open.section;
  const std::uint32_t place = section * blocks_ + open.next++;
  // As update_segment_mtime() of F2FS.
  age_[section] = valid_[section] == 0 ? now_ : (age_[section] * valid_[section] + now_) / (valid_[section] + 1);
  ++now_;
  place_[logical] = place;
  owner_[place] = logical;
  ++valid_[section];
  if (open.next == blocks_) {
    open.section = kNowhere;
    state_[section] = State::Full;
  }
  return place;
}

std::vector<std::uint32_t> SectionLogs::take_empty() {
  for (const std::uint32_t section : empty_) {
    state_[section] = State::Free;
    free_.push_back(section);
  }
  return std::exchange(empty_, {});
}

// As get_cb_cost() of F2FS, without its rounding to whole percents: the share freed times the age, divided by the
// shares read (1) and written.
double SectionLogs::benefit(std::uint32_t section, std::uint64_t oldest) const {
  const double used = static_cast<double>(valid_[section]) / blocks_;
  const double span = now_ > oldest ? static_cast<double>(now_ - oldest) : 1;
  const double age = static_cast<double>(now_ - age_[section]) / span;
  return (1 - used) * age / (1 + used);
}

std::optional<std::uint32_t> SectionLogs::victim(CleanerPolicy policy) const {
  std::uint64_t oldest = now_;
  for (std::uint32_t section = 0; section < valid_.size(); ++section)
    if (state_[section] == State::Full) oldest = std::min(oldest, age_[section]);
  std::optional<std::uint32_t> chosen;
  for (std::uint32_t section = 0; section < valid_.size(); ++section) {
    if (state_[section] != State::Full || valid_[section] == blocks_) continue;
    const bool better = !chosen                           ? true
                        : policy == CleanerPolicy::Greedy ? valid_[section] < valid_[*chosen]
                                                          : benefit(section, oldest) > benefit(*chosen, oldest);
    if (better) chosen = section;
  }
  return chosen;
}

std::vector<std::uint32_t> SectionLogs::blocks_in(std::uint32_t section) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t place = section * blocks_; place < (section + 1) * blocks_; ++place)
    if (owner_[place] != kNowhere) found.push_back(owner_[place]);
  return found;
}

}  // namespace flashloom
