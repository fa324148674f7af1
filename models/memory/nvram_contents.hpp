// What an NVRAM holds, word by word, across power cuts. The memory model beside it gives the time and the energy of an
// access; this gives its effect.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Words of 8 bytes, the grain at which a power cut tears. A write is seen by reads at once, and outlives a cut if it
/// was complete by then; of one that was under way, the words that had been written stay. Writes reach the cells one
/// after another, in the order of begin().
///
/// Use: `const Write write = contents.begin(address, words); ...; contents.end(write, from, until);` with the instants
/// between which the memory served it. A write that was never ended has written nothing.
class NvramContents {
 public:
  /// As new: all words are zero. Only those that are used take room: see fit().
  NvramContents() : log_(64) {}
  /// Who uses the memory says how many words; the first time, and after each power cut the same.
  void fit(std::size_t words) { words_.resize(words); }

  struct Write {
    std::uint64_t first = 0;  ///< number of its first word
    std::uint32_t count = 0;
  };
  Write begin(std::size_t address, std::span<const std::uint64_t> words);
  /// The memory, asked at `from` (not in the future), has served the write at `until`; its words become persistent one
  /// by one until then, or (`whole`) all at once.
  void end(const Write& write, Picoseconds from, Picoseconds until, bool whole = false);

  std::uint64_t read(std::size_t address) const { return words_[address]; }
  std::size_t size() const { return words_.size(); }

  /// Power fails at `now`: what is not complete is undone.
  void power_cut(Picoseconds now);
  /// Nothing is under way any more: the clock changes.
  void settle() {
    first_ += log_.size();
    log_.clear();
    last_end_ = 0;
  }
  /// Of a memory in which nothing is under way.
  template <class Archive>
  void state(Archive& archive) {
    archive.differences(words_.data(), words_.size());
  }

 private:
  static constexpr Picoseconds kOpen = ~Picoseconds{0};
  struct Undo {
    std::size_t address;
    std::uint64_t before;
    Picoseconds done;
  };
  std::vector<std::uint64_t> words_;
  boost::circular_buffer<Undo> log_;  // words under way, in order
  std::uint64_t first_ = 0;           // number of the log's first one
  Picoseconds last_end_ = 0;
};

}  // namespace flashloom
