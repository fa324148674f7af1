// Contents of an NVRAM, word by word, across power cuts. The memory model beside it gives the time and energy of an
// access; this class gives its effect.
#pragma once

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Words of 8 bytes, the granularity of tearing. Reads see a write at once. A write that is complete at a power cut
/// persists; of a write under way, the words written so far persist. Writes reach the cells one after another, in the
/// order of begin().
///
/// Use: `const Write write = contents.begin(address, words); ...; contents.end(write, from, until);` where the memory
/// serves the write in [from, until]. A write without end() writes nothing.
class NvramContents {
 public:
  /// All words are zero. Memory is allocated only for words in use: see fit().
  NvramContents() : log_(64) {}
  /// Sets the number of words: once, and after each power cut to the same number.
  void fit(std::size_t words) { words_.resize(words); }

  struct Write {
    std::uint64_t first = 0;  ///< number of its first word
    std::uint32_t count = 0;
  };
  Write begin(std::size_t address, std::span<const std::uint64_t> words);
  /// The memory, asked at `from` (not in the future), serves the write until `until`; its words become persistent one
  /// by one until then, or (`whole`) all at once at the end.
  void end(const Write& write, Picoseconds from, Picoseconds until, bool whole = false);

  std::uint64_t read(std::size_t address) const { return words_[address]; }
  std::size_t size() const { return words_.size(); }

  /// Power fails at `now`: undoes incomplete writes.
  void power_cut(Picoseconds now);
  /// No write is under way any more: the clock changes.
  void settle() {
    first_ += log_.size();
    log_.clear();
    last_end_ = 0;
  }
  /// Saves or loads the contents while no write is under way.
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
  std::uint64_t first_ = 0;           // number of the log's first word
  Picoseconds last_end_ = 0;
};

}  // namespace flashloom
