#include "models/memory/nvram_contents.hpp"

#include <algorithm>

namespace flashloom {

NvramContents::Write NvramContents::begin(std::size_t address, std::span<const std::uint64_t> words) {
  const Write write{first_ + log_.size(), static_cast<std::uint32_t>(words.size())};
  for (const std::uint64_t word : words) {
    if (log_.full()) log_.set_capacity(log_.capacity() * 2);
    log_.push_back({address, words_.at(address), kOpen});
    words_[address++] = word;
  }
  return write;
}

void NvramContents::end(const Write& write, Picoseconds from, Picoseconds until, bool whole) {
  const Picoseconds asked = from;
  from = std::min(std::max(from, last_end_), until);
  if (!whole) last_end_ = std::max(last_end_, until);
  for (std::uint32_t i = 0; i < write.count; ++i)
    log_[write.first - first_ + i].done = whole ? until : from + (until - from) / write.count * (i + 1);
  if (!whole && write.count != 0) log_[write.first - first_ + write.count - 1].done = until;
  // Writes complete before this request need no undo entry.
  while (!log_.empty() && log_.front().done <= asked) {
    log_.pop_front();
    ++first_;
  }
}

void NvramContents::power_cut(Picoseconds now) {
  for (; !log_.empty(); log_.pop_back())
    if (log_.back().done > now) words_[log_.back().address] = log_.back().before;
  settle();
}

}  // namespace flashloom
