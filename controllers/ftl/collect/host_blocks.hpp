// Open blocks of host data and translation pages: by stream and bank, with the program unit that each stream fills.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/collect/closed_blocks.hpp"
#include "controllers/ftl/collect/copier.hpp"

namespace flashloom {

class OpenBlocks;

/// A part of an FTL that takes host data into blocks of its own while it has room.
class WriteCache {
 public:
  /// Its open blocks, by stream and bank.
  virtual std::vector<BlockNumber>& open_blocks() = 0;
  /// That of them for the stream's next program unit, which open() opens if it is kNoBlockNumber; null: no room.
  virtual BlockNumber* next(std::uint32_t stream, std::uint32_t bank) = 0;
  /// Begins the program unit; false if there is no room.
  virtual Task<bool> open(std::uint32_t stream, std::uint32_t bank) = 0;
  /// A unit of host data is written to this block, of the cache or not.
  virtual void count_unit(BlockNumber block) = 0;

 protected:
  ~WriteCache() = default;
};

class HostBlocks : private FtlPart {
 public:
  HostBlocks(const FtlPart& part, ClosedBlocks& closed, OpenBlocks& open, bool map_stream);

  /// Number of streams, including that of translation pages.
  std::uint32_t streams() const { return static_cast<std::uint32_t>(jobs_.size()); }
  /// Number of host-data streams; the stream after them, if any, holds translation pages.
  std::uint32_t host_streams() const { return host_streams_; }
  std::uint32_t map_stream() const { return host_streams_; }
  /// The program unit that a stream is filling; null: none.
  ProgramJob* job(std::uint32_t stream) const { return jobs_[stream]; }
  /// A stream's open block of a bank; kNoBlockNumber: none.
  BlockNumber& at(std::uint32_t stream, std::uint32_t bank) {
    return open_[std::size_t{stream} * blocks_.banks() + bank];
  }
  /// All open blocks, by stream and bank, without those of a write cache.
  std::vector<BlockNumber>& all() { return open_; }
  const std::vector<BlockNumber>& all() const { return open_; }
  void attach(WriteCache& cache) { cache_ = &cache; }
  /// The cache that takes data of the stream; null: none.
  WriteCache* cache_of(std::uint32_t stream) const {
    return cache_ == nullptr || stream < host_streams_ ? cache_ : nullptr;
  }
  bool is_open(std::uint32_t stream, std::uint32_t bank) const {
    const std::size_t place = std::size_t{stream} * blocks_.banks() + bank;
    return open_[place] != kNoBlockNumber ||
           (cache_of(stream) != nullptr && cache_->open_blocks()[place] != kNoBlockNumber);
  }

  void begin(std::uint32_t stream, BlockNumber block);
  void launch_if_full(std::uint32_t stream) {
    if (programmer_.jobs().full(*jobs_[stream])) launch(stream);
  }
  /// Carries out the stream's program unit, which is full, as program unit `number` of a rule-based fill.
  void launch_by_rule(std::uint32_t stream, std::uint32_t number);
  void close_if_full(std::uint32_t stream, BlockNumber block) {
    if (blocks_[block].allocated == blocks_.pages_of(block) || blocks_[block].failed) close(stream, block);
  }
  void close(std::uint32_t stream, BlockNumber block);
  /// Whether the next program in the stream's open block fails; if so, the block is open no more.
  bool fails_next(std::uint32_t stream, BlockNumber block) {
    return programmer_.failure_handler() != nullptr && let_fail(stream, block);
  }
  /// Tries the stream's failed programs with padding.
  void try_padding(std::uint32_t stream) {
    if (FailureHandler* const failures = programmer_.failure_handler())
      failures->try_padding(stream, origin_of(stream));
  }

  // --- Padding.
  /// Pads and programs the program unit that the stream is filling.
  void seal(std::uint32_t stream);
  /// The same for all streams of host data; `map`: also for that of the map, as always if data may be exposed.
  void seal_all(bool map);
  /// Programs one padding unit in a block in which no program unit is being filled.
  void pad(std::uint32_t stream, BlockNumber block);
  void seal_in(BlockNumber block);
  /// Seals the program units with newer versions or copies of units of `old`, without which it could not be erased.
  void seal_newer(BlockNumber old);
  /// Does the same for data that wait for the rest of their word lines or stripes.
  void pad_exposed(BlockNumber old);
  /// Programs the partly filled program unit of translation pages if it holds copies out of `block`.
  void seal_map_newer(BlockNumber block) {
    if (needs(map_stream(), block)) seal(map_stream());
  }

  // --- What waits for more data.
  /// Whether newer versions or copies of units of `old` wait here, so that `old` must not be erased.
  bool needs(BlockNumber old) const;
  /// Whether these become safe once a program unit being filled is programmed.
  bool safe_once_filled(BlockNumber old) const;
  /// Whether the place lies in the program unit that the stream is filling.
  bool fills(std::uint32_t stream, PhysicalUnit place) const;

  void state(StateArchive& archive, FrontBuffer& front);

 private:
  bool let_fail(std::uint32_t stream, BlockNumber block);
  void launch(std::uint32_t stream);
  void launch(std::uint32_t stream, ProgramJob& job);
  void pad(std::uint32_t stream, ProgramJob& job);
  void vacate(std::uint32_t stream, BlockNumber block);
  bool needs(std::uint32_t stream, BlockNumber old) const;
  Origin origin_of(std::uint32_t stream) const { return stream < host_streams_ ? Origin::Host : Origin::Map; }

  ClosedBlocks& closed_;
  OpenBlocks& open_blocks_;
  Copier copier_;  // of translation pages
  std::uint32_t host_streams_;
  std::vector<BlockNumber> open_;  // by stream and bank
  std::vector<ProgramJob*> jobs_;  // by stream
  WriteCache* cache_ = nullptr;
};

}  // namespace flashloom
