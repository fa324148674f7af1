// Placement of host data: the stream of each unit, the bank of each program unit, and the open blocks and program units
// of all streams. Shared by page-mapping FTLs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "policies/placement/placement.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

/// Each stream fills one program unit at a time, in its open block of the bank that the placement policy names.
class WriteFrontier final : private PlacementView, private Collector::DataHolder {
 public:
  WriteFrontier(const FtlContext& context, BlockTable& blocks, Programmer& programmer, Collector& collector,
                FtlStatistics& statistics, bool map_stream = false);

  /// Number of streams, including that of translation pages.
  std::uint32_t streams() const { return static_cast<std::uint32_t>(jobs_.size()); }
  /// Number of host-data streams; the stream after them, if any, holds translation pages.
  std::uint32_t host_streams() const { return host_streams_; }
  std::uint32_t map_stream() const { return host_streams_; }
  std::vector<std::string> stream_names() const;
  /// To be called once per unit written. On a worn-down device all units have one stream, to use the remaining space
  /// fully.
  std::uint32_t stream_of(const WriteUnit& unit) {
    if (one_stream_ || blocks_.spare().worn_down()) return 0;
    const std::uint32_t stream =
        stream_policy_->stream_of(unit.unit, {.number = unit.stream,
                                              .directive = static_cast<std::uint8_t>(unit.placement.directive),
                                              .identifier = unit.placement.identifier});
    if (limits_time_) [[unlikely]]
      leave_late(stream);
    return sets_apart_ && unit.set != 0 ? host_streams_ - 1 : stream;
  }

  /// The program unit that the stream is filling; null: call open() first.
  ProgramJob* job(std::uint32_t stream) { return jobs_[stream]; }
  /// What has been decided for the next program unit of a stream.
  struct Opening {
    std::uint32_t bank = kNoBank;        ///< kNoBank: nothing decided
    Collector::Pace pace;                ///< progress of the bank's group
    BlockNumber block = kNoBlockNumber;  ///< block of the program unit; kNoBlockNumber: open() has work left
  };
  /// Decides on the stream's next program unit, and collects garbage on its die if due, as far as this needs no
  /// waiting. If the result has a block, call begin() or allot() next; else open().
  Opening begin_opening(const PlacementRequest& request);
  /// Does the rest and begins the program unit. False if the device is worn down and has no room for it. Throws
  /// std::runtime_error if the device is full without being worn down.
  Task<bool> open(PlacementRequest request, Opening begun);
  Task<bool> open(PlacementRequest request) { return open(request, {}); }
  /// Begins the stream's next program unit.
  void begin(std::uint32_t stream, BlockNumber block);
  /// A unit has got its place in a block (Programmer::allot) and is about to be written.
  void allotted(std::uint32_t stream, BlockNumber block) {
    count_unit(stream, block);
    close_if_full(stream, block);
  }
  void written() { collector_.data_let_go(); }
  /// If the unit does not fit into the stream's program unit, programs that one; the stream then fills none. Only
  /// matters for compressed data.
  void make_fit(std::uint32_t stream, const WriteUnit& unit) {
    if (jobs_[stream] != nullptr && programmer_.packs()) [[unlikely]]
      seal_unless_fits(stream, unit);
  }
  /// make_fit() for an uncompressed unit.
  void make_fit_whole(std::uint32_t stream) {
    if (programmer_.packs() && jobs_[stream] != nullptr && !programmer_.fits_whole(*jobs_[stream])) [[unlikely]]
      seal(stream);
  }
  /// A unit has got its place in the stream's program unit, which is programmed if it is full.
  void placed(std::uint32_t stream) {
    count_unit(stream, jobs_[stream]->block);
    if (programmer_.full(*jobs_[stream])) launch(stream);
  }
  /// Why a rule cannot describe a sequential fill; null: it can.
  const char* why_no_rule() const;
  /// Programs the stream's program unit as number `number` of a rule-based fill. Returns its place, in program units of
  /// the flash.
  std::uint32_t filled_by_rule(std::uint32_t stream, std::uint32_t number);
  /// A translation page has got its place.
  void placed_map() {
    if (programmer_.full(*jobs_[map_stream()])) launch(map_stream());
  }
  /// Programs the partly filled program unit of translation pages if it holds copies out of `block`.
  void let_map_go(BlockNumber block) {
    if (holds(map_stream(), block)) seal(map_stream());
  }
  /// Whether the place lies in the program unit that the stream is filling.
  bool fills(std::uint32_t stream, PhysicalUnit place) const;
  // --- With flexible data placement (write_frontier_units.cpp).
  /// Closes the stream's open blocks, full or not; its next writes go to another reclaim unit. `why`: the event to
  /// report if the reclaim unit was not full.
  void move_on(std::uint32_t stream, FdpEventType why);
  /// Room left in the reclaim unit that the stream fills. Superblocks not yet opened are assumed to have no bad blocks.
  ReclaimRoom room(std::uint32_t stream) const;
  /// seal(): pads and programs the partly filled program units of all host-data streams; seal_all(): also that of the
  /// map.
  void seal();
  void seal_all();

  /// Saved states: of a quiescent frontier.
  void state(StateArchive& archive, FrontBuffer& front);

 private:
  static constexpr std::uint32_t kNoBank = ~std::uint32_t{0};

  /// Whether the next program in the stream's open block fails; if so, the block is open no more.
  bool fails_next(std::uint32_t stream, BlockNumber block) {
    return blocks_.failures().possible() && let_fail(stream, block);
  }
  bool let_fail(std::uint32_t stream, BlockNumber block);
  /// The reclaim unit that a handle fills in a group.
  struct ReclaimUnit {
    std::uint32_t superblocks = 0;  ///< superblocks of it opened so far; 0: the handle has none
    std::uint32_t group = 0;
    Picoseconds begun = 0;  ///< its first write; not in saved states, since the clock restarts
  };
  Picoseconds age_of(const ReclaimUnit& unit) const;
  void note_opened(std::uint32_t stream, std::uint32_t group);
  /// Moves the stream to another reclaim unit if the present one has been open too long.
  void leave_late(std::uint32_t stream);
  std::uint64_t open_room(std::uint32_t stream) const;
  void fill_up(std::uint32_t stream);
  void set_dead_full();
  void clear_full();
  void leave_dead_die();
  void vacate(std::uint32_t stream, BlockNumber block);
  BlockNumber& open_block(std::uint32_t stream, std::uint32_t bank) { return open_[stream * blocks_.banks() + bank]; }
  /// The stream's open block of the SLC write cache; the stream must have one.
  BlockNumber& slc_block(std::uint32_t stream, std::uint32_t bank) {
    return slc_open_[stream * blocks_.banks() + bank];
  }
  /// Whether data of the stream go to the SLC write cache while it has room.
  bool caches(std::uint32_t stream) const { return !slc_open_.empty() && stream < host_streams_; }
  bool take_over(std::uint32_t stream);
  Task<bool> open_cached(std::uint32_t stream, std::uint32_t bank);
  void count_unit(std::uint32_t stream, BlockNumber block) {
    ++statistics_.units_written;
    ++statistics_.streams[stream].units_written;
    if (!slc_open_.empty()) [[unlikely]]
      ++(blocks_.in_slc_mode(block) ? statistics_.slc.units_written : statistics_.slc.units_past);
  }
  void close_if_full(std::uint32_t stream, BlockNumber block) {
    if (blocks_[block].allocated == blocks_.pages_of(block) || blocks_[block].failed) close(stream, block);
  }
  void close(std::uint32_t stream, BlockNumber block);
  Origin origin_of(std::uint32_t stream) const { return stream < host_streams_ ? Origin::Host : Origin::Map; }
  std::uint32_t free_blocks_wanted(BlockNumber open) const;
  /// Whether the next program unit must wait until some free erase unit may be erased.
  bool wants_spare(std::uint32_t group) const {
    return !gc_apart_ && programmer_.exposes() && !blocks_.spare().worn_down() && !collector_.has_spare(group);
  }
  /// Whether a superblock of the stream is open on the bank's group.
  bool superblock_open(std::uint32_t stream, std::uint32_t bank) const;
  /// The open superblock has no member there, or that member is full, or ahead of the others in a stripe with parity:
  /// other members come first.
  bool out_of_turn(std::uint32_t stream, std::uint32_t bank) const {
    if (blocks_.one_by_one()) return false;
    if (!open(stream, bank)) return superblock_open(stream, bank);
    return programmer_.stripes() != nullptr &&
           !programmer_.stripes()->in_turn(open_[std::size_t{stream} * blocks_.banks() + bank]);
  }
  bool is_full(std::uint32_t bank) const {
    return full_[bank] || blocks_.failures().dead(blocks_.die_of_bank(bank)) || out_of_turn(asking_, bank);
  }
  void set_full(std::uint32_t group);
  void launch(std::uint32_t stream);
  void launch(std::uint32_t stream, ProgramJob& job);
  void seal(std::uint32_t stream);
  [[gnu::cold]] void seal_unless_fits(std::uint32_t stream, const WriteUnit& unit);
  void pad(std::uint32_t stream, ProgramJob& job);
  void pad(std::uint32_t stream, BlockNumber block);

  bool full(std::uint32_t bank) const override {
    return (may_be_full_ || blocks_.failures().any_dead()) && is_full(bank);
  }
  bool open(std::uint32_t stream, std::uint32_t bank) const override {
    const std::size_t place = std::size_t{stream} * blocks_.banks() + bank;
    return open_[place] != kNoBlockNumber || (caches(stream) && slc_open_[place] != kNoBlockNumber);
  }
  std::uint64_t erases(std::uint32_t bank) const override { return blocks_.erases(bank); }
  std::uint32_t load(std::uint32_t die) const override;

  void let_go(BlockNumber block) override;
  void make_way(BlockNumber block) override;
  void close_word_lines(BlockNumber block) override;
  bool holds(BlockNumber block) const override;
  bool completes(BlockNumber block) const override;
  bool holds(std::uint32_t stream, BlockNumber block) const;

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  Collector& collector_;
  FtlStatistics& statistics_;
  std::unique_ptr<StreamPolicy> stream_policy_;
  std::unique_ptr<PlacementPolicy> placement_;
  Copier copier_;  // of translation pages
  std::uint32_t host_streams_;
  bool sets_apart_;  // in the last host stream
  bool gc_apart_;
  std::vector<BlockNumber> open_;                     // by stream and bank
  std::vector<BlockNumber> slc_open_;                 // for the SLC write cache; empty: no cache
  std::vector<ProgramJob*> jobs_;                     // by stream
  std::vector<std::vector<FailedProgram>> failures_;  // by stream, to be tried first by its next program unit
  std::vector<bool> full_;                            // by bank: no room there for the program unit being opened
  std::uint32_t full_count_ = 0;
  bool may_be_full_;                        // some bank may be full for some stream
  std::uint32_t asking_ = 0;                // the stream for which the placement policy is asked
  std::vector<ReclaimUnit> reclaim_units_;  // by stream of host data; empty: no flexible data placement
  bool limits_time_;                        // reclaim units have a time limit
  bool one_stream_;                         // there is one stream only, and no policy needs to see each unit
};

}  // namespace flashloom
