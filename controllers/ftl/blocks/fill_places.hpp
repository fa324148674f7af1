// Where a sequential fill put its program units. It goes round the open blocks: these turns are kept as one stretch, by
// the place of each program unit of the first turn, from which the others follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policies/state_archive.hpp"

namespace flashloom {

class FillPlaces {
 public:
  /// Program unit `number`, which follows the one added last, lies at `place`.
  void add(std::uint32_t number, std::uint32_t place);
  /// Places of the program units from `number`, the next one, on, if a third turn or a later one begins with it; else
  /// none. Those of further turns follow. They need no add().
  void next_turn(std::uint32_t number, std::vector<std::uint32_t>& places) const;
  /// No program units follow from `number` on.
  void end(std::uint32_t number) { stretches_.push_back({number, static_cast<std::uint32_t>(starts_.size())}); }

  // --- After end().
  /// The stretch of a program unit.
  std::uint32_t stretch_of(std::uint32_t number) const;
  /// `stretch`: of this program unit, or of one before it.
  std::uint32_t place(std::uint32_t number, std::uint32_t stretch) const {
    const Stretch* it = &stretches_[stretch];
    while (it[1].first <= number) ++it;
    const std::uint32_t behind = number - it->first;
    const std::uint32_t length = it[1].start - it->start;
    const std::uint32_t turn = behind / length;
    return starts_[it->start + behind - turn * length] + turn;
  }
  /// Calls f(place) for the program units from `number` to `end` - 1, which all were added; `stretch`: as above.
  template <class F>
  void for_places(std::uint32_t number, std::uint32_t end, std::uint32_t stretch, F f) const {
    for (const Stretch* it = &stretches_[stretch]; number < end; ++it) {
      if (it[1].first <= number) continue;
      std::uint32_t turn = (number - it->first) / (it[1].start - it->start);
      std::uint32_t at = it->start + (number - it->first) - turn * (it[1].start - it->start);
      for (; number < std::min(end, it[1].first); ++number) {
        f(starts_[at] + turn);
        if (++at != it[1].start) continue;
        at = it->start;
        ++turn;
      }
    }
  }
  void state(StateArchive& archive) { archive(stretches_, starts_); }

 private:
  struct Stretch {
    std::uint32_t first;  // program unit
    std::uint32_t start;  // index of its place
  };

  std::vector<Stretch> stretches_;     // at last an empty one
  std::vector<std::uint32_t> starts_;  // places of the first turn of each stretch
  std::uint32_t turn_ = 0;             // program units of a turn of the last stretch; 0: its first turn goes on
};

}  // namespace flashloom
