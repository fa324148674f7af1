// Page mapping over UnitMap: log-structured writes striped by the placement policy, foreground GC on each die. Used as
// is by page_map, and as base by FTLs that keep the map elsewhere.
#pragma once

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/collect/log_blocks.hpp"
#include "controllers/ftl/mapping/mapped_ftl.hpp"
#include "controllers/ftl/place/write_frontier.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"

namespace flashloom {

class PageMapFtl : public MappedFtl, protected KeptMap {
 public:
  /// `map_stream`: translation pages are written, too (OpenBlocks).
  explicit PageMapFtl(const FtlContext& context, bool map_stream = false);

  Task<void> recover() override;
  Task<void> write(WriteUnit& unit) override;
  bool takes_whole() const override;
  Task<void> write_whole(std::span<const WholeUnit> units) override;
  const char* why_no_rule() const override;
  SteadyShape steady_shape() const override {
    return why_no_rule() == nullptr ? frontier_.steady_shape() : SteadyShape{};
  }
  Task<std::uint32_t> fill_by_rule(FillPart part) override;
  Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) override;
  Task<void> persist_trims() override { return keeper_.persist_trims(); }
  std::uint64_t newest_version() const override { return newest_version_; }
  void prefetch_older(std::uint32_t unit) const override;
  Task<bool> idle() override;
  Task<void> seal() override;
  void state(StateArchive& archive, FrontBuffer& front) override;
  std::uint32_t waiting_units() const override {
    return flashloom::waiting_units(context_.config, context_.geometry, host_blocks_.streams());
  }
  void hold_up(std::uint32_t units) override {
    if (blocks_.spare().failure_reserve() == 0) return;
    blocks_.spare().want_room(units + margin_when_worn_out(context_.config, context_.geometry));
  }
  std::vector<std::string> stream_names() const override { return frontier_.stream_names(); }
  ReclaimUnits* reclaim_units() const override { return frontier_.reclaim_units(); }
  Task<void> update_handle(PlacementId placement) override;

 protected:
  /// Whether checkpoints of the map are written.
  bool checkpoints() const { return keeper_.method().checkpoints; }

  Collector collector_;
  HostBlocks& host_blocks_;
  WriteFrontier frontier_;
  UnitBits newer_;  ///< Mount::Result

 private:
  /// To be called once per unit.
  PlacementRequest request_of(const WriteUnit& unit) {
    return {.unit = unit.unit, .stream = frontier_.assign_stream(unit), .set = unit.set};
  }
  /// Writes the unit after the checkpoint and journal work that is due.
  Task<void> write_paced(WriteUnit& unit);
  Task<void> write_later(WriteUnit& unit);
  Task<void> write_next(WriteUnit& unit);
  Task<void> open_and_place(WriteUnit& unit, PlacementRequest request, WriteFrontier::Opening begun);
  void place(WriteUnit& unit, std::uint32_t stream);
  void write_directly(WriteUnit& unit, std::uint32_t stream, BlockNumber block);
  void moved(std::uint32_t unit, std::uint64_t version, PhysicalUnit old, PhysicalUnit place);
  void prefetch_whole(std::span<const WholeUnit> units, std::size_t at) const;
  void place_whole(WholeUnit unit);
  void write_directly(std::span<const WholeUnit> units, BlockNumber block);
  Task<BlockNumber> take_block() override { return log_blocks_.take(keeper_.log()); }
  void return_block(BlockNumber block) override { log_blocks_.give_back(block); }
  Task<void> come_to_rest() override;
  std::uint64_t sequence() const override { return programmer_.numbers().last(); }

  LogBlocks log_blocks_;
  std::vector<OobWord> words_;  // of a program unit
  MapKeeper keeper_;
  bool opening_ = false;  // a write waits for a program unit
  bool idling_ = false;   // background work makes decisions; no write may be placed meanwhile
  WaitList opened_;       // for the end of either
};

}  // namespace flashloom
