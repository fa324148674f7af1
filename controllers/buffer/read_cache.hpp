// The read side of the data buffer: serves host reads, keeps read data, reads ahead.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/buffer/evictor.hpp"
#include "controllers/buffer/read_ahead.hpp"
#include "models/common/cache_turnover.hpp"

namespace flashloom {

/// A read in the FTL, and the part of it that the read cache will keep.
struct BufferRead : ReadRequest {
  struct Fill {
    BufferEntry* entry;
    ReadUnit wanted;
    std::size_t index;  ///< of the unit in the request
  };
  std::uint64_t served = 0;        ///< bytes served from the buffer
  std::vector<Fill> fills;         ///< empty in a free request
  LatencyBreakdown own_breakdown;  ///< of a read-ahead, for which no command waits
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

  /// Reads change its contents, or their order of eviction.
  bool remembers() const { return shape_.read_cache; }
  /// Turnover of the clean units; none if the buffer is split, where each part has its own.
  CacheTurnover turnover() const {
    if (store_.parts().size() != 1) return {};
    return {store_.parts().front().clean_units, statistics_.evictions_clean};
  }
  bool reads_ahead() const { return shape_.read_cache && shape_.read_ahead_units != 0; }
  /// Begins to read ahead what this read command makes likely.
  void read_ahead(const IoCommand& command);
  /// A unit of the command is being read into the cache: to be waited for in arrived(), so that none is read twice.
  bool being_read(const IoCommand& command) const;
  WaitList& arrived() { return store_.arrived(); }
  /// Serves the buffered part of a read. The rest becomes the units of the returned request; reserves entries for those
  /// that will be kept.
  BufferRead& look_up(IoCommand& command);
  /// The request has completed or failed: keeps its data; returns the bytes kept.
  std::uint64_t keep(BufferRead& request);
  void release(BufferRead& request) { free_requests_.push_back(&request); }

  void state(StateArchive& archive) { ahead_.state(archive); }

 private:
  BufferRead& take_request();
  void count_hit(BufferEntry& entry, std::uint8_t part);
  BufferEntry* take_place(std::uint32_t unit, std::uint8_t part);
  bool reserve(BufferRead& request, std::uint64_t& next, std::uint64_t end, std::uint8_t part, std::uint64_t most);
  Task<void> read_piece(BufferRead& request);

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
