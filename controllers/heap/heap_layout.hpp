// The layout of the heap's persistent data in its NVM, in words of 8 bytes (NvramContents).
//
// Words: the object table (records of four words), the page table (a word a page of the heap's address space: the
// *entry*, which says where the newest contents of the page are), with heap.atomic = object a second one of *shadows*,
// then, with `verify`, the contents of the frames as tokens. The NVM itself also holds the frames' bytes.
//
// An entry is one word, so that a power cut cannot tear it: new contents of a page are written to a free frame or slot
// of the swap area before the entry names it, and the previous frame or slot is reused only after that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controllers/heap/heap_config.hpp"

namespace flashloom {

/// Where the newest contents of a page are.
struct PagePlace {
  enum class Kind : std::uint8_t {
    Nowhere,  ///< never written: zeroes
    Frame,
    Swap,  ///< a slot of the swap area
    Lost,  ///< the swap device could not read them; until the whole page is overwritten
  };
  Kind kind = Kind::Nowhere;
  std::uint32_t number = 0;

  bool operator==(const PagePlace&) const = default;
  std::uint64_t word() const { return static_cast<std::uint64_t>(kind) << 32 | number; }
  static PagePlace of(std::uint64_t word) { return {static_cast<Kind>(word >> 32), static_cast<std::uint32_t>(word)}; }
};

struct HeapLayout {
  // A record: bytes of the object; the last committed update; in its last word the extent, pages << 32 | first page, or
  // 0 if there is no such object.
  static constexpr std::uint32_t kRecordWords = 4;
  static constexpr std::uint32_t kTransactionWord = 2;
  static constexpr std::uint32_t kExtentWord = 3;
  static constexpr std::uint32_t kWordBytes = 8;
  static constexpr std::uint64_t kLineBytes = 64;  ///< memory traffic of the change of a word

  std::uint32_t page_bytes = 0;
  std::uint32_t page_sectors = 0;
  std::uint32_t objects = 0;
  std::uint32_t pages = 0;   ///< of the heap's address space
  std::uint32_t slots = 0;   ///< of the swap area
  std::uint32_t frames = 0;  ///< of the NVM
  bool shadows = false;
  bool tokens = false;

  /// `swap_bytes`: of the device. `frames` or `pages` is 0 if the NVM or the device is too small.
  HeapLayout(const HeapConfig& config, std::uint64_t swap_bytes, std::uint32_t sector_bytes, bool with_tokens)
      : page_bytes(config.page),
        page_sectors(config.page / sector_bytes),
        objects(config.objects),
        slots(static_cast<std::uint32_t>(swap_bytes / config.page)),
        shadows(config.atomic == "object"),
        tokens(with_tokens) {
    // A page may need a slot while its older version is still on its way to another one.
    pages = slots > config.in_flight ? slots - config.in_flight : 0;
    const std::uint64_t metadata = metadata_bytes();
    if (metadata < config.nvram.size) frames = static_cast<std::uint32_t>((config.nvram.size - metadata) / config.page);
  }

  std::uint64_t metadata_bytes() const {
    return std::uint64_t{kWordBytes} *
           (std::uint64_t{objects} * kRecordWords + std::uint64_t{pages} * (shadows ? 2 : 1));
  }
  std::uint64_t heap_bytes() const { return std::uint64_t{pages} * page_bytes; }

  std::size_t record_at(std::uint32_t object) const { return std::size_t{object} * kRecordWords; }
  std::size_t entry_at(std::uint32_t page) const { return std::size_t{objects} * kRecordWords + page; }
  std::size_t shadow_at(std::uint32_t page) const { return entry_at(pages) + page; }
  std::size_t tokens_at(std::uint32_t frame) const {
    return entry_at(pages) + (shadows ? pages : 0) + std::size_t{frame} * page_sectors;
  }
  std::size_t words() const { return tokens_at(tokens ? frames : 0); }
};

}  // namespace flashloom
