// Family "tiering": which segments of a large home device (HDD) a smaller and faster cache device (SSD) in front of it
// holds. The tier's controller owns the map and carries out what a policy proposes (controllers/tier/).
#pragma once

#include <cstdint>
#include <optional>

#include "policies/eviction.hpp"
#include "policies/state_archive.hpp"
#include "policies/tiering/tier_map.hpp"

namespace flashloom {

struct TieringContext {
  std::uint32_t segments = 0;  ///< of the home device
  std::uint32_t slots = 0;     ///< capacity of the cache device, in segments
};

/// What the controller must do for the policy.
struct TieringTraits {
  bool caches = true;        ///< the cache device is used at all
  bool in_passes = false;    ///< contents change in maintenance passes; else whenever accessed() proposes it
  bool keeps_writes = true;  ///< writes of cached segments stay in the cache; else they go home and evict the segment
  /// Reads fill the cache with the sectors that they missed; a write invalidates its sectors.
  bool fills_from_reads = false;
  bool writes_drop_segments = false;  ///< with fills_from_reads: a write invalidates the whole segment

  /// Whether a journal keeps the map across power cuts. Policies with passes use two metadata areas; others neither.
  bool has_journal() const { return caches && !in_passes && keeps_writes; }
};

/// `segment` should enter `slot`, whose present segment is evicted.
struct TierExchange {
  Segment segment = kNoSegment;
  Slot slot = kNoSlot;
};

class TieringPolicy {
 public:
  static constexpr const char* kFamily = "tiering";
  using Context = TieringContext;
  virtual ~TieringPolicy() = default;

  const TieringTraits& traits() const { return traits_; }

  /// A request accesses `segment`, cached or not: called once for each segment of the request. Without `room` for one
  /// more exchange the policy must propose none.
  virtual std::optional<TierExchange> accessed(Segment segment, Access access, bool room) = 0;
  /// `segment` has left the cache without a proposal of the policy.
  virtual void dropped(Segment /*segment*/) {}
  /// After a start: the present contents of the cache.
  virtual void recovered(const TierMap& /*map*/) {}

  /// A pass begins: the set of hot segments is fixed until it ends.
  virtual void begin_pass() {}
  /// The pass's next exchange, called after the previous one was carried out; nothing: the pass is done.
  virtual std::optional<TierExchange> next_exchange(const TierMap& /*map*/) { return std::nullopt; }
  virtual void end_pass() {}

  /// Maximum size of the policy's metadata on media, beside the map.
  virtual std::uint64_t metadata_bytes() const { return 0; }
  /// Saves or loads the policy's metadata.
  virtual void state(StateArchive& /*archive*/) {}

 protected:
  explicit TieringPolicy(const TieringTraits& traits) : traits_(traits) {}

 private:
  TieringTraits traits_;
};

}  // namespace flashloom
