#include "controllers/nvme/life.hpp"

#include <algorithm>

namespace flashloom::nvme {

void MarkedSectors::clear(std::uint64_t begin, std::uint64_t end) {
  if (ranges_.empty()) return;
  std::vector<Range> left;
  for (const Range& range : ranges_) {
    if (range.begin < std::min(begin, range.end)) left.push_back({range.begin, std::min(begin, range.end)});
    if (std::max(end, range.begin) < range.end) left.push_back({std::max(end, range.begin), range.end});
  }
  ranges_ = std::move(left);
}

void MarkedSectors::mark(std::uint64_t begin, std::uint64_t end) {
  // Ranges that it touches become one with it.
  std::vector<Range> left;
  for (const Range& range : ranges_) {
    if (range.end < begin || range.begin > end) {
      left.push_back(range);
      continue;
    }
    begin = std::min(begin, range.begin);
    end = std::max(end, range.end);
  }
  const auto place = std::find_if(left.begin(), left.end(), [begin](const Range& each) { return each.begin > begin; });
  left.insert(place, {begin, end});
  ranges_ = std::move(left);
}

std::uint64_t MarkedSectors::first(std::uint64_t begin, std::uint64_t end) const {
  const auto found =
      std::find_if(ranges_.begin(), ranges_.end(), [begin](const Range& range) { return range.end > begin; });
  return found == ranges_.end() || found->begin >= end ? end : std::max(begin, found->begin);
}

}  // namespace flashloom::nvme
