// Family "replacement": which page of a buffer or cache leaves.
//
// A policy is one file with one class, its *core*, which orders entries of a slab (page_lists.hpp) and knows nothing of
// look-ups, data or time. One registration makes two things of it:
//  - a ReplacementPolicy, in which the owner of the pages has the slots and the look-up: the data buffer, the cached
//    map, the host's page cache (slot_policy.hpp);
//  - a CacheModel, a whole cache without time or data, fast: `flashloom cache` (cache_model.hpp).
//
// A core derives from PolicyCore (policy_core.hpp), which says what it must have.
#pragma once

#include <algorithm>
#include <memory_resource>

#include "policies/eviction.hpp"

namespace flashloom {

/// Asks what writing a page would cost below. Optional; asking changes nothing.
class CostOracle {
 public:
  virtual ~CostOracle() = default;
  /// Whether a write of this page would go over what is stored already. In the machine the FTL says whether it would
  /// make a merge now (Ftl::write_merges): that may differ from one call to the next.
  virtual bool overwrites(std::uint64_t page) const = 0;
};

/// Which pages belong to objects that a process has mapped into its address space. Optional; without it all count as
/// mapped.
class MappedView {
 public:
  virtual ~MappedView() = default;
  virtual bool mapped(std::uint64_t page) const = 0;
};

struct ReplacementContext {
  std::uint32_t capacity = 0;          ///< pages that may be resident
  std::uint32_t slots = 0;             ///< of a ReplacementPolicy: slots have numbers below; 0: the capacity
  std::uint32_t pages_per_block = 64;  ///< of an erase block, for policies that write block by block
  /// True: all pages whose data are kept count against the capacity. False: dirty ghosts, which keep their data, do not
  /// (the accounting of the DLD-ARC paper). A ReplacementPolicy then needs slots for as many ghosts as the capacity.
  bool shared_budget = true;
  std::uint32_t footprint = 0;         ///< distinct pages that there are, where that is known; else 0
  const CostOracle* oracle = nullptr;  ///< may be null; outlives the policy
  const MappedView* mapped = nullptr;  ///< may be null; outlives the policy
  /// For the lists; outlives the policy.
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

/// Policies that must know the future, for a CacheModel only; named as the others, in a family of their own.
inline constexpr const char* kOfflineReplacementFamily = "replacement_offline";

}  // namespace flashloom
