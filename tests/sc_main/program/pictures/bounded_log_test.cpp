#include "sc_main/program/pictures/bounded_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace flashloom::bounded_log_test {
namespace {

struct Entry {
  Picoseconds at = 0;
  int order = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};

// Brute force: all entries, sorted; with more than `capacity`, only those before the first entry that has no room.
RC_GTEST_PROP(BoundedLog, KeepsTheEarliestWhateverTheirOrder, (const std::vector<std::uint8_t>& times)) {
  const std::size_t capacity = *rc::gen::inRange<std::size_t>(1, 20);
  BoundedLog<Entry> log(capacity);
  std::vector<Entry> all;
  for (const std::uint8_t at : times) {
    all.push_back({at, static_cast<int>(all.size())});
    log.add(all.back());
  }
  std::stable_sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.at < b.at; });
  const std::vector<Entry> kept = log.sorted();
  const Picoseconds horizon = log.horizon();
  RC_ASSERT(kept.size() <= capacity);
  if (all.size() <= capacity) RC_ASSERT(horizon == kNever);
  std::vector<Entry> expected;
  for (const Entry& entry : all)
    if (entry.at < horizon) expected.push_back(entry);
  RC_ASSERT(kept == expected);
  // No entry was dropped without need: those of one more instant would not fit.
  if (horizon != kNever) {
    std::size_t with_next = 0;
    for (const Entry& entry : all) with_next += entry.at <= horizon ? 1 : 0;
    RC_ASSERT(with_next > capacity);
  }
}

}  // namespace
}  // namespace flashloom::bounded_log_test
