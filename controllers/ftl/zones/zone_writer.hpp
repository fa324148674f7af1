// Writes zones: units wait until their program unit is complete, finished or committed, and go to their place with it.
//
// The rest of a finished zone may be padded in the background of other programs: each member of the zone (a plane of one
// of its dies) pads the rest of its erase units by itself, so that none waits for another one's die. A mount needs only
// the first padding of the finish, which is programmed earlier.
#pragma once

#include <cstdint>
#include <optional>

#include "controllers/ftl/zones/spill_log.hpp"
#include "controllers/ftl/zones/zone_failures.hpp"

namespace flashloom {

class ZoneWriter final : public Zones, private ZonePart {
 public:
  ZoneWriter(const ZonePart& ftl, ZoneBlocks& zone_blocks, ZoneFailures& failures, SpillLog& spill);

  /// As Ftl::write(), waiting_units().
  Task<void> write(WriteUnit& unit);
  std::uint32_t waiting_units() const;

  ZoneTable& table() override { return table_; }
  const ZoneTable& table() const override { return table_; }
  const ZoneCosts& costs() const override { return costs_; }
  std::uint32_t blocks_per_zone() const override { return shape_.blocks_per_zone(); }
  std::uint64_t map_bytes() const override { return shape_.map_bytes(); }
  std::uint32_t unit_bytes() const override { return context_.geometry.unit_bytes; }
  void tell(ZoneListener& listener) override { failures_.attach(listener); }
  Task<void> finish(std::uint32_t zone) override;
  std::uint32_t padding_members() const override { return shape_.pads_behind ? shape_.members : 0; }
  Task<bool> before_padding(std::uint32_t zone, std::uint32_t member) override;
  Task<void> pad(std::uint32_t zone, std::uint32_t member) override;
  void give_area(std::uint32_t zone) override { zones_[zone].area = zones_[zone].gaps = true; }
  Task<void> commit(std::uint32_t zone, std::uint32_t end) override;
  Task<void> settled(std::uint32_t zone) override;

 private:
  static constexpr std::uint32_t kNoEnd = ~std::uint32_t{0};
  /// Program completions on a die for which padding waits, if the die always has more than one program pending.
  static constexpr std::uint32_t kPatience = 8;
  /// Programs the zone's next program unit at its place. From offset `data_end` on, units without data are padding of a
  /// finish.
  Task<void> program_next(std::uint32_t zone, std::uint32_t data_end = kNoEnd);
  void refuse_last(FlashZone& zone);
  /// Programs one optional program unit of padding; false if it is skipped.
  Task<bool> pad_program(std::uint32_t zone, std::uint32_t slot);
  std::optional<std::uint32_t> slot_to_pad(std::uint32_t zone, std::uint32_t member) const;
  /// What padding of that slot waits for while its die has more than one program pending; null if it has not.
  WaitList* before_room(std::uint32_t zone, std::uint32_t slot);

  ZoneBlocks& zone_blocks_;
  ZoneFailures& failures_;
  SpillLog& spill_;
};

}  // namespace flashloom
