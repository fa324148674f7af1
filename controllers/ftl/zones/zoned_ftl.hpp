// Zones on flash. There is no unit-level map: the n-th program unit of a zone has a fixed place in the erase units of
// the zone (ZoneLayout), and is programmed once it is complete. There is no garbage collection: a reset releases the
// erase units of a zone.
//
// A flush *spills* partly filled program units: their units are programmed, with padding, into an erase unit reserved
// for that. When the rest has arrived, they are read from there, and the whole program unit goes to its place. So zones
// have no padding except from a finish; its spare words name the zone and its erase unit (as a parity number that
// nothing else uses) and tell a mount that the zone is full.
//
// Writes to a zone with a random write area wait for a commit of whole program units, and may be overwritten until
// then. A flush spills them unit by unit beside padding of a special kind (ZonePart): a mount takes the newest version
// of each unit, whatever gaps lie between, and commits all of them. When the units of such a zone, and unwritten ones
// (zeroes), go to their places, they all get one version, the zone's generation: newer than all data before the zone's
// reset, and not newer than what it has spilled since. With such areas the spilled units form a log, erased from its
// oldest end on; a reset is recorded there, with the newest version that it ends, before anything is erased.
//
// The simulator also keeps a UnitMap, because MappedFtl reads through it; the modelled firmware looks up a zone once
// per command and once per program unit, and only that is charged.
//
// After a power cut, a zone's data are what was written to it without a gap, in the order of the versions; anything
// else found of it is dropped. An erase unit with a torn program could not be programmed further: the mount copies its
// good data to another one before anything is written there. The same happens after a program failure; the old erase
// unit is released, and its next erase is its last. If too few good erase units are left, zones are taken away: empty
// ones go offline first, then the zone in which the program failed becomes read-only. Zone states that must survive
// power cuts are recorded in separate erase units, as padding that names zone and state (ZonePart).
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/mapped_ftl.hpp"
#include "controllers/ftl/zones/final_state_log.hpp"
#include "controllers/ftl/zones/spill_log.hpp"
#include "controllers/ftl/zones/zone_blocks.hpp"
#include "controllers/ftl/zones/zone_failures.hpp"
#include "controllers/ftl/zones/zone_layout.hpp"
#include "controllers/ftl/zones/zone_part.hpp"
#include "controllers/ftl/zones/zone_writer.hpp"
#include "controllers/ftl/zones/zones.hpp"

namespace flashloom {

class ZonedFtl final : public MappedFtl {
 public:
  explicit ZonedFtl(const FtlContext& context);

  /// Finds everything in the spare areas (ZoneResolver).
  Task<void> recover() override;
  Task<void> write(WriteUnit& unit) override;
  Task<void> seal() override;
  Task<void> come_to_rest() override;
  Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) override;
  Task<void> persist_trims() override;
  std::uint32_t waiting_units() const override { return writer_.waiting_units(); }
  void hold_up(std::uint32_t) override { safe_at_once_ = true; }
  void state(StateArchive& archive, FrontBuffer& front) override;
  void check() const override;
  Zones* zones() override { return &writer_; }
  const Zones* zones() const override { return &writer_; }

 private:
  ZonePart part();
  bool spills_versions() const { return shape_.random_units != 0; }
  /// Unmaps the zone's data and releases its erase units, so that no power cut brings back the data once the reset must
  /// be safe.
  Task<void> reset(std::uint32_t zone, std::uint64_t version);
  /// Before units of random write areas are spilled: resets survive power cuts, and old data are erased.
  Task<void> before_areas();

  const ZoneLayout shape_;
  ZoneTable table_;
  ZoneCosts costs_;
  std::vector<FlashZone> zones_;
  ZoneBlocks zone_blocks_;
  FinalStateLog final_states_;
  ZoneFailures failures_;
  SpillLog spill_;
  ZoneWriter writer_;
  bool safe_at_once_ = false;  // acknowledged data survive power cuts, so resets must, too
};

}  // namespace flashloom
