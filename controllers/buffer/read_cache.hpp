// The reading side of the data buffer: what it serves of a host read, what it keeps of what was read, what it reads
// ahead.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/buffer/evictor.hpp"
#include "controllers/buffer/read_ahead.hpp"
#include "models/common/cache_turnover.hpp"

namespace flashloom {

/// A read on its way through the FTL, and what of it the read cache will keep.
struct BufferRead : ReadRequest {
  struct Fill {
    BufferEntry* entry;
    std::uint32_t first_sector;
    std::uint64_t sectors;
    SectorToken* tokens;  ///< of first_sector
  };
  std::uint64_t served = 0;  ///< bytes that the buffer had
  std::vector<Fill> fills;   ///< empty in a request that is free
  LatencyBreakdown unheard;  ///< of a read that nobody waits for
};

class ReadCache {
 public:
  ReadCache(const BufferShape& shape, EntryStore& store, Evictor& evictor, Ftl& ftl, Hardware& hardware,
            BufferStatistics& statistics)
      : shape_(shape),
        store_(store),
        evictor_(evictor),
        ftl_(ftl),
        hardware_(hardware),
        statistics_(statistics),
        ahead_(shape.read_ahead_units) {}

  /// Reads change what it holds, or in which order that leaves.
  bool remembers() const { return shape_.read_cache; }
  /// Of what it keeps of reads. No room: the buffer is split, and each part has a turnover of its own.
  CacheTurnover turnover() const {
    if (store_.parts().size() != 1) return {};
    return {store_.parts().front().clean_units, statistics_.evictions_clean};
  }
  bool reads_ahead() const { return shape_.read_cache && shape_.read_ahead_units != 0; }
  /// The command is a read: what should be read behind it, ahead of the host.
  ReadAhead::Range follow(const IoCommand& command);
  void begin_read_ahead(const ReadAhead::Range& ahead, const IoCommand& command);
  /// Until nothing that the command reads is on its way into the cache: it need not be read twice.
  Task<void> until_read(const IoCommand& command);
  /// Serves what the buffer has; the rest are the request's units, and places of those that will be kept are taken.
  BufferRead& look_up(IoCommand& command);
  /// What was to be kept of a request has come, or failed; returns the bytes that are.
  std::uint64_t keep(BufferRead& request);
  void release(BufferRead& request) { free_requests_.push_back(&request); }

  void state(StateArchive& archive) { ahead_.state(archive); }

 private:
  BufferRead& take_request();
  void count_hit(BufferEntry& entry, std::uint8_t part);
  BufferEntry* take_place(std::uint32_t unit, std::uint8_t part);
  Task<void> read_ahead(std::uint32_t first, std::uint32_t count, std::uint8_t part);

  const BufferShape& shape_;
  EntryStore& store_;
  Evictor& evictor_;
  Ftl& ftl_;
  Hardware& hardware_;
  BufferStatistics& statistics_;
  ReadAhead ahead_;
  std::vector<std::unique_ptr<BufferRead>> requests_;
  std::vector<BufferRead*> free_requests_;
};

}  // namespace flashloom
