#include "controllers/heap/swap_space.hpp"

namespace flashloom {

SwapSpace::Run SwapSpace::take(std::uint32_t most) {
  if (free_ == 0) return {};
  const auto slots = static_cast<std::uint32_t>(taken_.size());
  if (next_ == slots) next_ = 0;
  while (taken_[next_]) next_ = next_ + 1 == slots ? 0 : next_ + 1;
  Run run{.first = next_};
  while (run.count < most && next_ != slots && !taken_[next_]) {
    take_at(next_++);
    ++run.count;
  }
  return run;
}

}  // namespace flashloom
