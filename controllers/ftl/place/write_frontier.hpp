// Placement of host data: the stream of each unit, and the bank of each program unit. Open blocks and program units of
// all streams are in HostBlocks. Shared by page-mapping FTLs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "controllers/ftl/collect/collector.hpp"
#include "controllers/ftl/features/fdp/reclaim_units.hpp"
#include "policies/placement/placement.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom {

/// Each stream fills one program unit at a time, in its open block of the bank that the placement policy names.
class WriteFrontier final : private PlacementView, private FtlPart {
 public:
  explicit WriteFrontier(Collector& collector);

  std::vector<std::string> stream_names() const;
  /// Assigns a unit to a stream, and learns from it: to be called once per unit written. A reclaim unit that is too old
  /// is left first. On a worn-down device all units have one stream, to use the remaining space fully.
  std::uint32_t assign_stream(const WriteUnit& unit) {
    if (one_stream_ || blocks_.spare().worn_down()) return 0;
    const std::uint32_t stream =
        stream_policy_->stream_of(unit.unit, {.number = unit.stream,
                                              .directive = static_cast<std::uint8_t>(unit.placement.directive),
                                              .identifier = unit.placement.identifier});
    if (limits_time_) [[unlikely]]
      reclaim_units_->leave_late(stream);
    return sets_apart_ && unit.set != 0 ? host_.host_streams() - 1 : stream;
  }

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
  /// Counts a unit that has got its place in a block; placed() does so by itself.
  void count_unit(std::uint32_t stream, BlockNumber block) {
    ++statistics_.units_written;
    ++statistics_.streams[stream].units_written;
    if (WriteCache* const cache = host_.cache_of(stream)) [[unlikely]]
      cache->count_unit(block);
  }
  /// All units have stream 0, and no policy needs to see them.
  bool one_stream() const { return one_stream_ && reclaim_units_ == nullptr && !sets_apart_; }
  /// If the unit does not fit into the stream's program unit, programs that one; the stream then fills none. Only
  /// matters for units of different sizes.
  void make_fit(std::uint32_t stream, const WriteUnit& unit) {
    if (sizes_ != nullptr && host_.job(stream) != nullptr && !programmer_.jobs().fits(*host_.job(stream), unit))
        [[unlikely]]
      host_.seal(stream);
  }
  /// make_fit() for a whole unit.
  void make_fit_whole(std::uint32_t stream) {
    if (sizes_ != nullptr && host_.job(stream) != nullptr && !programmer_.jobs().fits_whole(*host_.job(stream)))
        [[unlikely]]
      host_.seal(stream);
  }
  /// A unit has got its place in the stream's program unit, which is programmed if it is full.
  void placed(std::uint32_t stream) {
    count_unit(stream, host_.job(stream)->block);
    host_.launch_if_full(stream);
  }
  /// Why a rule cannot describe a sequential fill; null: it can.
  const char* why_no_rule() const;
  /// Programs the stream's program unit as number `number` of a rule-based fill. Returns its place, in program units of
  /// the flash.
  std::uint32_t filled_by_rule(std::uint32_t stream, std::uint32_t number);
  /// Turns round these places (UnitMap::next_turn), at most `turns`, that the stream's program units from `number` on
  /// are sure to take; programs these by the rule. Returns how many.
  std::uint32_t fill_turns(std::uint32_t stream, std::uint32_t number, std::span<const std::uint32_t> places,
                           std::uint32_t turns);
  /// Ftl::steady_shape(), of an FTL whose fill a rule can describe.
  SteadyShape steady_shape() const;
  /// With flexible data placement; else null.
  ReclaimUnits* reclaim_units() const { return reclaim_units_.get(); }

  /// Saved states: of a quiescent frontier, without its blocks (HostBlocks).
  void state(StateArchive& archive);

 private:
  static constexpr std::uint32_t kNoBank = ~std::uint32_t{0};

  /// The stream has opened a GC unit of a group.
  void note_opened(std::uint32_t stream, std::uint32_t group) {
    if (reclaim_units_ != nullptr) reclaim_units_->opened(stream, group);
  }
  void set_dead_full();
  void clear_full();
  void leave_dead_die();
  bool take_over(std::uint32_t stream);
  std::uint32_t free_blocks_wanted(BlockNumber open) const;
  /// Whether the next program unit must wait until some free erase unit may be erased.
  bool wants_spare(std::uint32_t group) const {
    return !gc_apart_ && programmer_.exposed().possible() && !blocks_.spare().worn_down() &&
           !collector_.open_blocks().has_spare(group);
  }
  /// Whether some member of the stream's GC unit is open on the bank's group.
  bool any_member_open(std::uint32_t stream, std::uint32_t bank) const;
  /// The open GC unit has no member there, or that member is full, or ahead of the others in a stripe with parity:
  /// other members come first.
  bool out_of_turn(std::uint32_t stream, std::uint32_t bank) const {
    if (blocks_.one_by_one()) return false;
    if (!open(stream, bank)) return any_member_open(stream, bank);
    return programmer_.redundancy() != nullptr && !programmer_.redundancy()->in_turn(host_.at(stream, bank));
  }
  [[gnu::noinline]] bool is_full(std::uint32_t bank) const {  // so that full() saves no registers
    return full_[bank] || blocks_.dead(blocks_.die_of_bank(bank)) || out_of_turn(asking_, bank);
  }
  void set_full(std::uint32_t first, std::uint32_t banks = 1);

  bool full(std::uint32_t bank) const override { return (may_be_full_ || blocks_.any_dead()) && is_full(bank); }
  bool open(std::uint32_t stream, std::uint32_t bank) const override { return host_.is_open(stream, bank); }
  std::uint64_t erases(std::uint32_t bank) const override { return blocks_.erases(bank); }
  std::uint32_t load(std::uint32_t die) const override;

  Collector& collector_;
  HostBlocks& host_;
  std::unique_ptr<StreamPolicy> stream_policy_;
  std::unique_ptr<PlacementPolicy> placement_;
  bool sets_apart_;  // in the last host stream
  bool gc_apart_;
  std::vector<bool> full_;  // by bank: no room there for the program unit being opened
  std::uint32_t full_count_ = 0;
  bool may_be_full_;                             // some bank may be full for some stream
  std::uint32_t asking_ = 0;                     // the stream for which the placement policy is asked
  std::unique_ptr<ReclaimUnits> reclaim_units_;  // with flexible data placement
  bool limits_time_;                             // reclaim units have a time limit
  bool one_stream_;                              // there is one stream only, and no policy needs to see each unit
};

}  // namespace flashloom
