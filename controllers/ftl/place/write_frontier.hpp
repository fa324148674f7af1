// Where host data go: the stream of each unit, the bank of each program unit, and the open blocks and program units of
// all streams. Shared by page-mapping FTLs.
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

  /// With the map's.
  std::uint32_t streams() const { return static_cast<std::uint32_t>(jobs_.size()); }
  /// Streams of host data; the one behind them, if there is one, is of translation pages.
  std::uint32_t host_streams() const { return host_streams_; }
  std::uint32_t map_stream() const { return host_streams_; }
  std::vector<std::string> stream_names() const;
  /// Asked once for each unit written. At the end of life all have one stream, since the room that is left counts.
  std::uint32_t stream_of(const WriteUnit& unit) {
    if (one_stream_ || blocks_.worn_down()) return 0;
    const std::uint32_t stream =
        stream_policy_->stream_of(unit.unit, {.number = unit.stream,
                                              .directive = static_cast<std::uint8_t>(unit.placement.directive),
                                              .identifier = unit.placement.identifier});
    if (limits_time_) [[unlikely]]
      leave_late(stream);
    return sets_apart_ && unit.set != 0 ? host_streams_ - 1 : stream;
  }

  /// The program unit that the stream fills; null: open() comes first.
  ProgramJob* job(std::uint32_t stream) { return jobs_[stream]; }
  /// What has been decided of the next program unit of a stream.
  struct Opening {
    std::uint32_t bank = kNoBank;        ///< kNoBank: nothing
    Collector::Pace pace;                ///< of the bank's group
    BlockNumber block = kNoBlockNumber;  ///< the program unit is in it; kNoBlockNumber: open() has something to do
  };
  /// Decides on the stream's next program unit, and collects garbage on its die, if it is time to, as far as nothing
  /// has to be waited for. With a block, begin() or allot() comes next; else open().
  Opening begin_opening(const PlacementRequest& request);
  /// Does the rest, and begins the program unit. False: the device is worn down, and has no room for it. Throws
  /// std::runtime_error if the device is full though it is not.
  Task<bool> open(PlacementRequest request, Opening begun);
  Task<bool> open(PlacementRequest request) { return open(request, {}); }
  /// Begins the stream's next program unit.
  void begin(std::uint32_t stream, BlockNumber block);
  /// A unit has its place in a block (Programmer::allot), and is about to be written.
  void allotted(std::uint32_t stream, BlockNumber block) {
    count_unit(stream, block);
    close_if_full(stream, block);
  }
  void written() { collector_.data_let_go(); }
  /// Where the unit does not fit into the program unit that the stream fills that goes its way, and the stream fills
  /// none. Of compressed data alone.
  void make_fit(std::uint32_t stream, const WriteUnit& unit) {
    if (jobs_[stream] != nullptr && programmer_.packs()) [[unlikely]]
      seal_unless_fits(stream, unit);
  }
  /// The same of one that is not compressed.
  void make_fit_whole(std::uint32_t stream) {
    if (programmer_.packs() && jobs_[stream] != nullptr && !programmer_.fits_whole(*jobs_[stream])) [[unlikely]]
      seal(stream);
  }
  /// A unit has got its place in the stream's program unit, which goes its way if it is full.
  void placed(std::uint32_t stream) {
    count_unit(stream, jobs_[stream]->block);
    if (programmer_.full(*jobs_[stream])) launch(stream);
  }
  /// What keeps a sequential fill from being told by a rule; null: nothing.
  const char* why_no_rule() const;
  /// The program unit that the stream fills is the fill's, of that number, and goes its way. Returns its place, in
  /// program units of the flash.
  std::uint32_t filled_by_rule(std::uint32_t stream, std::uint32_t number);
  /// A translation page has got its place.
  void placed_map() {
    if (programmer_.full(*jobs_[map_stream()])) launch(map_stream());
  }
  /// What translation pages wait for their program unit to fill goes its way, if some of them are copied out of that
  /// block.
  void let_map_go(BlockNumber block) {
    if (holds(map_stream(), block)) seal(map_stream());
  }
  /// A place in the program unit that the stream fills.
  bool fills(std::uint32_t stream, PhysicalUnit place) const;
  // --- With flexible data placement (write_frontier_units.cpp).
  /// What the stream has open is closed, be it full or not, and what it writes next goes to another reclaim unit. `why`
  /// is the event if it was not full.
  void move_on(std::uint32_t stream, FdpEventType why);
  /// What the reclaim unit that the stream fills has room for. As long as its superblocks are not open, none of their
  /// blocks counts as bad.
  ReclaimRoom room(std::uint32_t stream) const;
  /// Programs what waits for its program unit to fill, padded, of all streams of host data; and of the map's.
  void seal();
  void seal_all();

  /// Saved states: of a quiescent frontier.
  void state(StateArchive& archive, FrontBuffer& front);

 private:
  static constexpr std::uint32_t kNoBank = ~std::uint32_t{0};

  /// Whether what the stream has open there fails with its next program: then it is open no more.
  bool fails_next(std::uint32_t stream, BlockNumber block) {
    return blocks_.programs_fail() && let_fail(stream, block);
  }
  bool let_fail(std::uint32_t stream, BlockNumber block);
  /// The reclaim unit that a handle of a group fills.
  struct ReclaimUnit {
    std::uint32_t superblocks = 0;  ///< of it, that have been opened; 0: it fills none
    std::uint32_t group = 0;
    Picoseconds begun = 0;  ///< its first write; not in saved states, since the clock begins anew
  };
  Picoseconds age_of(const ReclaimUnit& unit) const;
  void note_opened(std::uint32_t stream, std::uint32_t group);
  /// The stream leaves its reclaim unit if that has been open for too long.
  void leave_late(std::uint32_t stream);
  std::uint64_t open_room(std::uint32_t stream) const;
  void fill_up(std::uint32_t stream);
  void set_dead_full();
  void clear_full();
  void leave_dead_die();
  void vacate(std::uint32_t stream, BlockNumber block);
  BlockNumber& open_block(std::uint32_t stream, std::uint32_t bank) { return open_[stream * blocks_.banks() + bank]; }
  /// Of the SLC write cache; there must be one.
  BlockNumber& slc_block(std::uint32_t stream, std::uint32_t bank) {
    return slc_open_[stream * blocks_.banks() + bank];
  }
  /// Data of the stream go there, unless it is full.
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
  /// The next program unit waits until some free erase unit may be erased.
  bool wants_spare(std::uint32_t group) const {
    return !gc_apart_ && programmer_.exposes() && !blocks_.worn_down() && !collector_.has_spare(group);
  }
  /// A superblock of the stream is open on the group of the bank.
  bool superblock_open(std::uint32_t stream, std::uint32_t bank) const;
  /// Its member there is bad, or full while others are not, or ahead of them in a stripe with parity: the others come
  /// first.
  bool out_of_turn(std::uint32_t stream, std::uint32_t bank) const {
    if (blocks_.one_by_one()) return false;
    if (!open(stream, bank)) return superblock_open(stream, bank);
    return programmer_.stripes() != nullptr &&
           !programmer_.stripes()->in_turn(open_[std::size_t{stream} * blocks_.banks() + bank]);
  }
  bool is_full(std::uint32_t bank) const {
    return full_[bank] || blocks_.dead(blocks_.die_of_bank(bank)) || out_of_turn(asking_, bank);
  }
  void set_full(std::uint32_t group);
  void launch(std::uint32_t stream);
  void launch(std::uint32_t stream, ProgramJob& job);
  void seal(std::uint32_t stream);
  [[gnu::cold]] void seal_unless_fits(std::uint32_t stream, const WriteUnit& unit);
  void pad(std::uint32_t stream, ProgramJob& job);
  void pad(std::uint32_t stream, BlockNumber block);

  bool full(std::uint32_t bank) const override { return (may_be_full_ || blocks_.any_dead()) && is_full(bank); }
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
  bool sets_apart_;  // in the last of them
  bool gc_apart_;
  std::vector<BlockNumber> open_;      // by stream and bank
  std::vector<BlockNumber> slc_open_;  // the same of the SLC write cache; empty: there is none
  std::vector<ProgramJob*> jobs_;      // by stream
  std::vector<std::vector<FailedProgram>> failures_;  // by stream, for its next program unit
  std::vector<bool> full_;             // by bank: no program unit is to be had there for the one that is being opened
  std::uint32_t full_count_ = 0;
  bool may_be_full_;          // some bank, for some stream
  std::uint32_t asking_ = 0;  // the stream for which the placement policy is asked
  std::vector<ReclaimUnit> reclaim_units_;  // by stream of host data; empty: no flexible data placement
  bool limits_time_;                        // that it is filled
  bool one_stream_;                         // and nothing to find out about the next unit that is written
};

}  // namespace flashloom
