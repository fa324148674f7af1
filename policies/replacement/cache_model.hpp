// A cache without time and without data, for traces of page references: what a policy does to them, counted. Pages are
// dense numbers (in the order of their first reference, or otherwise), so that the look-up is an array.
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

/// What the page numbers of a trace stand for.
struct PageDirectory {
  std::uint32_t pages = 0;                        ///< numbers are below
  std::span<const std::uint64_t> addresses = {};  ///< by page: its number on the device; empty: the same
  std::span<const std::uint32_t> blocks = {};     ///< by page: its erase block, numbered densely; empty: page / 64
  std::uint32_t block_count = 0;
};

enum class Found : std::uint8_t {
  Miss,
  Resident,
  CleanGhost,  ///< remembered, its data gone: a miss for the device
  DirtyGhost,  ///< remembered with its data: a hit for the device
};

/// All in pages unless said otherwise. A reference is a miss or a hit; ghost hits are no real hits.
struct CacheCounts {
  std::uint64_t references[2] = {};  ///< reads, writes; as in the next three
  std::uint64_t hits[2] = {};        ///< in the real cache
  std::uint64_t clean_ghost_hits[2] = {};
  std::uint64_t dirty_ghost_hits[2] = {};
  std::uint64_t bytes[2] = {};  ///< referenced; with sizes, else 0
  std::uint64_t hit_bytes[2] = {};
  std::uint64_t clean_evictions = 0;     ///< left the memory, not written
  std::uint64_t dirty_evictions = 0;     ///< left the memory, written
  std::uint64_t pages_written = 0;       ///< those, and what passed by the cache
  std::uint64_t write_runs = 0;          ///< of them, runs of ascending neighbours
  std::uint64_t block_changes = 0;       ///< times that a write went to another block than the one before
  std::uint64_t blocks_written = 0;      ///< distinct blocks among them
  std::uint64_t dirty_at_end = 0;        ///< still in memory
  std::uint64_t dirty_discarded = 0;     ///< discarded before they were written
  std::uint64_t resident_pages_max = 0;  ///< pages whose data were in memory, dirty ghosts included
  std::uint64_t real_pages_max = 0;      ///< without them
  std::uint64_t entries_max = 0;         ///< with all ghosts
};

struct CacheModelContext {
  ReplacementContext policy;
  PageDirectory directory;
  /// The references to come, all of them, for policies that know the future; else may be empty.
  std::span<const PageReference> future = {};
};

class CacheModel {
 public:
  virtual ~CacheModel() = default;

  /// The next references. `bytes`: of each, how many bytes of the page are meant; empty: not counted.
  virtual void run(std::span<const PageReference> references, std::span<const std::uint32_t> bytes = {}) = 0;
  /// One reference, for those who want to watch: what was found. gone() then says what left.
  virtual Found reference(PageReference reference) = 0;
  /// What left memory in the last reference(), in order.
  virtual const std::vector<GonePage>& gone() const = 0;

  /// From now on the timer (may be null) is told what making room takes: on each miss, from the begin of the policy's
  /// search until what leaves has left; misses for which nothing must leave are not counted.
  virtual void time_room(RoomTimer* timer) = 0;

  /// So far; dirty_at_end is of now.
  virtual CacheCounts counts() const = 0;
  virtual PolicyPicture picture() const = 0;
  /// Bytes of the policy's own data, and of the look-up, in this model.
  virtual std::size_t policy_bytes() const = 0;
  virtual std::size_t lookup_bytes() const = 0;
  /// Pages that the policy can remember, resident ones included.
  virtual std::size_t policy_entries() const = 0;
};

/// A policy's model; `choice` names one of the families "replacement" and "replacement_offline". Throws UnknownPart.
std::unique_ptr<CacheModel> make_cache_model(const PolicyChoice& choice, const CacheModelContext& context);
/// Whether a policy of this name must know the future. Throws UnknownPart.
bool is_offline_policy(const std::string& name);
/// Bytes that a policy spends on each page of its capacity beside the page itself: its entries, ghosts included, and 8
/// of a hash table's for each. Throws UnknownPart.
double metadata_bytes_per_page(const PolicyChoice& choice);

}  // namespace flashloom
