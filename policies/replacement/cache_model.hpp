// A cache without time and without data, for traces of page references: counts what a policy does. Pages are dense
// numbers (e.g. in order of first reference), so that the look-up table is an array.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "policies/parameters.hpp"
#include "policies/replacement/policy_core.hpp"
#include "policies/replacement/room_timer.hpp"

namespace flashloom {

/// One reference to a page, packed: the operation in the low two bits.
class PageReference {
 public:
  enum class Kind : std::uint8_t { Read, Write, Discard };
  static constexpr std::uint32_t kMostPages = std::uint32_t{1} << 30;

  PageReference() = default;
  PageReference(std::uint32_t page, Kind kind) : bits_(page << 2 | static_cast<std::uint32_t>(kind)) {}
  std::uint32_t page() const { return bits_ >> 2; }
  Kind kind() const { return static_cast<Kind>(bits_ & 3); }
  bool read() const { return (bits_ & 3) == 0; }
  bool write() const { return (bits_ & 1) != 0; }
  bool discard() const { return (bits_ & 2) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

/// Meaning of a trace's page numbers.
struct PageDirectory {
  std::uint32_t pages = 0;                        ///< page numbers are below this
  std::span<const std::uint64_t> addresses = {};  ///< by page: its number on the device; empty: identical
  std::span<const std::uint32_t> blocks = {};     ///< by page: its erase block, numbered densely; empty: page / 64
  std::uint32_t block_count = 0;
};

enum class Found : std::uint8_t {
  Miss,
  Resident,
  CleanGhost,  ///< a ghost without data: a miss for the device
  DirtyGhost,  ///< a ghost that keeps its data: a hit for the device
};

/// Counts, in pages unless stated otherwise. Each reference is a miss or a hit; ghost hits do not count in `hits`.
struct CacheCounts {
  std::uint64_t references[2] = {};  ///< [0] reads, [1] writes; so are the next three
  std::uint64_t hits[2] = {};        ///< in the real cache
  std::uint64_t clean_ghost_hits[2] = {};
  std::uint64_t dirty_ghost_hits[2] = {};
  std::uint64_t bytes[2] = {};  ///< referenced; 0 unless sizes are given
  std::uint64_t hit_bytes[2] = {};
  std::uint64_t clean_evictions = 0;     ///< evicted without a write
  std::uint64_t dirty_evictions = 0;     ///< evicted and written
  std::uint64_t pages_written = 0;       ///< dirty evictions, and writes that bypass the cache
  std::uint64_t write_runs = 0;          ///< runs of ascending neighbours among pages_written
  std::uint64_t block_changes = 0;       ///< writes to another block than that of the previous write
  std::uint64_t blocks_written = 0;      ///< distinct blocks written
  std::uint64_t dirty_at_end = 0;        ///< still in memory
  std::uint64_t dirty_discarded = 0;     ///< discarded before they were written
  std::uint64_t resident_pages_max = 0;  ///< pages whose data were in memory, dirty ghosts included
  std::uint64_t real_pages_max = 0;      ///< maximum of real pages, without dirty ghosts
  std::uint64_t entries_max = 0;         ///< maximum of entries, with all ghosts
};

struct CacheModelContext {
  ReplacementContext policy;
  PageDirectory directory;
  /// All references to come, for offline policies; may be empty for others.
  std::span<const PageReference> future = {};
};

class CacheModel {
 public:
  virtual ~CacheModel() = default;

  /// Runs the next references. `bytes`: bytes referenced by each; empty: not counted.
  virtual void run(std::span<const PageReference> references, std::span<const std::uint32_t> bytes = {}) = 0;
  /// Runs one reference, for callers that watch each step; returns where the page was. gone() then lists the evictions.
  virtual Found reference(PageReference reference) = 0;
  /// Pages evicted by the last reference(), in order.
  virtual const std::vector<GonePage>& gone() const = 0;

  /// From now on the timer (may be null) measures evictions: on each miss, from the start of the policy's search until
  /// the victims are gone; misses without an eviction are not counted.
  virtual void time_room(RoomTimer* timer) = 0;

  /// Counts so far; dirty_at_end is the present number.
  virtual CacheCounts counts() const = 0;
  virtual PolicyPicture picture() const = 0;
  /// Size in bytes of the policy's data, and of the look-up table, in this model.
  virtual std::size_t policy_bytes() const = 0;
  virtual std::size_t lookup_bytes() const = 0;
  /// Maximum number of entries of the policy, resident pages included.
  virtual std::size_t policy_entries() const = 0;
};

/// Creates a policy's model; `choice` names one of the families "replacement" and "replacement_offline". Throws
/// UnknownPart.
std::unique_ptr<CacheModel> make_cache_model(const PolicyChoice& choice, const CacheModelContext& context);
/// Whether the policy of this name needs future references. Throws UnknownPart.
bool is_offline_policy(const std::string& name);
/// Metadata bytes of a policy for each page of its capacity: its entries, ghosts included, and 8 bytes of a hash table
/// for each entry. Throws UnknownPart.
double metadata_bytes_per_page(const PolicyChoice& choice);

}  // namespace flashloom
