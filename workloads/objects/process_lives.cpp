#include "workloads/objects/process_lives.hpp"

namespace flashloom {

ProcessLives::ProcessLives(std::uint64_t processes, std::uint64_t life, bool geometric, std::uint64_t seed)
    : life_(life), geometric_(geometric), random_(seed), places_(static_cast<std::size_t>(processes)) {
  for (std::size_t place = 0; place < places_.size(); ++place)
    places_[place].left = (life * (place + 1) + processes - 1) / processes;
}

ProcessLives::Turn ProcessLives::next() {
  Place& place = places_[next_];
  Turn turn{.place = next_, .begins = place.process == 0};
  if (turn.begins) {
    place.process = ++last_;
    if (place.left == 0) place.left = life_;
  }
  turn.process = place.process;
  if (life_ != 0) turn.ends = geometric_ ? random_.chance(1 / static_cast<double>(life_)) : --place.left == 0;
  if (turn.ends) place.process = 0;
  next_ = next_ + 1 == places_.size() ? 0 : next_ + 1;
  return turn;
}

}  // namespace flashloom
