// Family "tiering": which segments of a large device (HDD) a smaller and faster one in front of it (SSD) holds. The
// tier's controller owns the map and carries out what a policy proposes (controllers/tier/).
#pragma once

#include <cstdint>
#include <optional>

#include "policies/eviction.hpp"
#include "policies/state_archive.hpp"
#include "policies/tiering/tier_map.hpp"

namespace flashloom {

struct TieringContext {
  std::uint32_t segments = 0;  ///< of the home device
  std::uint32_t slots = 0;     ///< segments that the cache device has room for
};

/// What the controller must do for the policy.
struct TieringTraits {
  bool caches = true;        ///< the cache device is used at all
  bool in_passes = false;    ///< contents change in maintenance passes, else as accessed() proposes
  bool keeps_writes = true;  ///< writes of cached segments stay in the cache; else they go home, and the segment leaves
  /// What reads miss comes in as they have read it, sector by sector; a write makes its sectors invalid.
  bool fills_from_reads = false;
  bool writes_drop_segments = false;  ///< with fills_from_reads: a write makes the whole segment invalid

  /// How the map outlives power cuts: with passes in two metadata areas, else in a journal; not at all without writes.
  bool has_journal() const { return caches && !in_passes && keeps_writes; }
};

/// `segment` should come into `slot`; what is there leaves.
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

  /// A request accesses `segment`, cached or not: once for each segment of the request. Without `room` for one more
  /// exchange nothing may be proposed.
  virtual std::optional<TierExchange> accessed(Segment segment, Access access, bool room) = 0;
  /// `segment` has left the cache though nobody proposed it.
  virtual void dropped(Segment /*segment*/) {}
  /// After a start: this is what the cache holds.
  virtual void recovered(const TierMap& /*map*/) {}

  /// A pass begins: what is hot does not change until it ends.
  virtual void begin_pass() {}
  /// The pass's next exchange, after the one before was carried out; nothing: no more.
  virtual std::optional<TierExchange> next_exchange(const TierMap& /*map*/) { return std::nullopt; }
  virtual void end_pass() {}

  /// Bytes that it keeps on media beside the map, at most.
  virtual std::uint64_t metadata_bytes() const { return 0; }
  /// Saves or loads them.
  virtual void state(StateArchive& /*archive*/) {}

 protected:
  explicit TieringPolicy(const TieringTraits& traits) : traits_(traits) {}

 private:
  TieringTraits traits_;
};

}  // namespace flashloom
