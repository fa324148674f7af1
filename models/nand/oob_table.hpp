// The out-of-band words of a device's mapping units, in full or only with the bits that firmware will read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/common/packed_table.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// A view of memory that holds all words in full (`width` = 64), or words of at most `width` bits packed. When packed,
/// a word that does not fit (of metadata pages, of lost data) goes to a side table; these should be rare.
class OobTable {
 public:
  static constexpr unsigned kFull = 64;

  OobTable() = default;
  /// `memory`: bytes() zero bytes, aligned to 8.
  OobTable(std::byte* memory, unsigned width) : full_(width == kFull ? reinterpret_cast<OobWord*>(memory) : nullptr) {
    if (full_ == nullptr) packed_ = PackedTable(memory, width);
  }

  /// A multiple of 8.
  static std::uint64_t bytes(std::uint64_t words, unsigned width) {
    return width == kFull ? words * sizeof(OobWord) : (PackedTable::bytes(words, width) + 7) / 8 * 8;
  }
  bool full() const { return full_ != nullptr; }
  unsigned width() const { return full() ? kFull : packed_.width(); }

  [[gnu::always_inline]] OobWord get(std::uint64_t i) const {
    if (full_ != nullptr) return full_[i];
    const OobWord word = packed_.get(i);
    return word == packed_.most() ? beside(i) : word;
  }
  [[gnu::always_inline]] void set(std::uint64_t i, OobWord word) {
    if (full_ != nullptr) {
      full_[i] = word;
    } else if (word < packed_.most()) [[likely]] {
      packed_.set(i, word);
    } else {
      set_beside(i, word);
    }
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const {
    if (full_ != nullptr)
      __builtin_prefetch(full_ + i);
    else
      packed_.prefetch(i);
  }

  /// Saves or loads the words of the side table; the others are saved with the memory.
  template <class Archive>
  void state(Archive& archive) {
    std::vector<std::uint64_t> list;
    for (const auto& [i, word] : beside_) list.push_back(i);
    std::sort(list.begin(), list.end());
    for (std::size_t i = 0, n = list.size(); i < n; ++i) list.push_back(beside_.at(list[i]));
    archive(list);
    beside_.clear();
    for (std::size_t i = 0, n = list.size() / 2; i < n; ++i) beside_[list[i]] = list[n + i];
  }

 private:
  // All ones mark a word in the side table; without an entry there, the word itself is all ones.
  OobWord beside(std::uint64_t i) const {
    const auto found = beside_.find(i);
    return found == beside_.end() ? packed_.most() : found->second;
  }
  [[gnu::cold]] void set_beside(std::uint64_t i, OobWord word) {
    packed_.set(i, packed_.most());
    if (word == packed_.most())
      beside_.erase(i);
    else
      beside_[i] = word;
  }

  OobWord* full_ = nullptr;
  PackedTable packed_;
  std::unordered_map<std::uint64_t, OobWord> beside_;  // never iterated for results
};

}  // namespace flashloom
