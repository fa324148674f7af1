// A set of pages by number, lean for the clustered addresses of block traces.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace flashloom {

/// Two levels: a hash of chunks of 4096 pages (16 MiB of address space at 4 KiB a page, 512 bytes of memory each).
class PageSet {
 public:
  /// Adds the pages [first, first + count); returns how many were new.
  std::uint64_t add(std::uint64_t first, std::uint64_t count);
  /// Adds another set's pages.
  void add(const PageSet& other);
  /// How many of the pages [first, first + count) it has.
  std::uint64_t count(std::uint64_t first, std::uint64_t count) const;
  /// Pages that both have.
  std::uint64_t common(const PageSet& other) const;
  std::uint64_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kChunkPages = 4096;
  using Chunk = std::array<std::uint64_t, kChunkPages / 64>;

  Chunk& chunk(std::uint64_t number);

  std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;  // its order decides nothing
  Chunk* last_ = nullptr;                                             // neighbouring requests mostly hit the same chunk
  std::uint64_t last_number_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace flashloom
