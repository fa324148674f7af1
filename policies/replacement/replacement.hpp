// Family "replacement": which page a buffer or cache evicts.
//
// A policy is one file with one class, its *core*, which orders entries of a slab (page_lists.hpp) and knows nothing of
// look-ups, data or time. One registration makes two parts of it:
//  - a ReplacementPolicy, for owners that keep the slots and the look-up: the data buffer, the cached
//    map, the host's page cache (slot_policy.hpp);
//  - a CacheModel, a whole cache without time or data, fast: `flashloom cache` (cache_model.hpp).
//
// A core derives from PolicyCore (policy_core.hpp), which describes the required interface.
#pragma once

#include <algorithm>
#include <memory_resource>

#include "policies/eviction.hpp"

namespace flashloom {

/// Tells what writing a page would cost below. Optional; asking changes nothing.
class CostOracle {
 public:
  virtual ~CostOracle() = default;
  /// Whether a write of this page would overwrite stored data. In a device the FTL tells whether it would cause a merge
  /// now (Ftl::write_merges), which may change from one call to the next.
  virtual bool overwrites(std::uint64_t page) const = 0;
};

/// Which pages belong to objects that a process has mapped into its address space. Optional; without it all pages count
/// as mapped.
class MappedView {
 public:
  virtual ~MappedView() = default;
  virtual bool mapped(std::uint64_t page) const = 0;
};

struct ReplacementContext {
  std::uint32_t capacity = 0;          ///< pages that may be resident
  std::uint32_t slots = 0;             ///< of a ReplacementPolicy: number of slots; 0: the capacity
  std::uint32_t pages_per_block = 64;  ///< of an erase block, for policies that write block by block
  /// True: all pages that keep data count against the capacity. False: dirty ghosts, which keep their data, do not
  /// (the accounting of the DLD-ARC paper); a ReplacementPolicy then needs slots for as many ghosts as the capacity.
  bool shared_budget = true;
  std::uint32_t footprint = 0;         ///< distinct pages, if known; else 0
  const CostOracle* oracle = nullptr;  ///< may be null; outlives the policy
  const MappedView* mapped = nullptr;  ///< may be null; outlives the policy
  /// Allocates the lists; outlives the policy.
  std::pmr::memory_resource* memory = std::pmr::new_delete_resource();

  std::uint32_t slot_count() const { return std::max(capacity, slots); }
};

/// Pages are numbers below 2^32 - 1.
class ReplacementPolicy : public EvictionPolicy {
 public:
  static constexpr const char* kFamily = "replacement";
  using Context = ReplacementContext;

 protected:
  explicit ReplacementPolicy(const EvictionTraits& traits = {}) : EvictionPolicy(traits) {}
};

/// Policies that need future references, for a CacheModel only; a family with its own names.
inline constexpr const char* kOfflineReplacementFamily = "replacement_offline";

}  // namespace flashloom
