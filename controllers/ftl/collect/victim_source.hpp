// Sources of victims: the reasons to collect a GC unit. The collector asks them in a fixed order; a device without a
// feature has no source of it. Free space is the last reason: the victim is then chosen by the policy
// (garbage_collection), in SpaceVictims.
#pragma once

#include <cstdint>

#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

class Collector;

class VictimSource : protected FtlPart {
 public:
  /// When collection begins for its sake in a group with enough free space: when the source has made the group active
  /// (Victim::active); with ftl.gc_mode = "blocking" whenever a victim waits; always then.
  enum class Begins : std::uint8_t { Active, Blocking, Always };
  /// How the data of its victims move.
  struct Moves {
    Origin origin = Origin::Gc;            ///< of their flash commands
    bool apart = false;                    ///< into blocks of their own, as cold data
    bool gains = true;                     ///< a victim becomes a free block that any data may use
    std::uint64_t* units_moved = nullptr;  ///< counts them
  };
  VictimSource(Collector& collector, const Moves& moves, Begins begins = Begins::Active);
  virtual ~VictimSource() = default;
  VictimSource(const VictimSource&) = delete;
  VictimSource& operator=(const VictimSource&) = delete;

  Begins begins() const { return begins_; }
  Origin origin() const { return moves_.origin; }
  bool apart() const { return moves_.apart; }
  bool gains() const { return moves_.gains; }
  std::uint64_t& units_moved() const { return *moves_.units_moved; }

  /// Whether a victim waits in the group to be begun, however much space is free.
  virtual bool wants(std::uint32_t group) const = 0;
  /// Begins to collect a victim of the group, once blocks for its data are open; false if none can be begun.
  virtual Task<bool> begin(std::uint32_t group) = 0;
  /// Whether host writes collect for it at all, not only idle time.
  virtual bool paced() const { return true; }

  // --- In idle time, when nothing may wait, since no write may be placed meanwhile.
  virtual bool may_begin_idle(std::uint32_t group) const { return wants(group); }
  /// Whether a victim waits for free space, which idle collection should make.
  virtual bool waits_for_space(std::uint32_t /*group*/) const { return false; }
  /// Whether the group's victim, whose data move apart, can be copied on.
  virtual bool may_copy_idle(std::uint32_t /*group*/) const { return true; }

  /// The copies of the group's victim need another block. True: the collection is to be given up, and put_back() makes
  /// the victim an ordinary block again.
  virtual bool gives_up(std::uint32_t /*group*/) const { return false; }
  virtual void put_back(GcUnit /*victim*/) {}
  /// All valid units of a victim, of whatever source, have been copied; it will be released now.
  virtual void emptied(GcUnit /*victim*/) {}
  /// After a recovery: finds victims.
  virtual void recovered() {}

  virtual void state(StateArchive& /*archive*/) {}

 protected:
  Collector& collector_;

 private:
  Moves moves_;
  Begins begins_;
};

}  // namespace flashloom
