// Zones on flash. Nothing is mapped unit by unit: the n-th program unit of a zone has its place in the erase units of
// that zone (ZoneLayout), and is programmed when all of it is there. Nothing is collected: a reset gives the erase
// units of a zone back.
//
// What a flush finds in an unfilled program unit is *spilled*: programmed, with padding, into an erase unit that is
// kept for this; when the rest has come it is read from there, and the whole program unit goes to its place. So zones
// have no padding but what a finish puts there, whose words of the spare areas name the zone and the erase unit of it (a
// parity number, which nobody else uses): they tell a mount that the zone is full.
//
// What a zone with a random write area has got waits for a commit, of whole program units, and may be replaced until
// then. A flush spills it unit by unit, its words beside a padding that says so (area_word): a mount takes the newest of
// each unit, whatever lies between, and commits all of it. On their way to their places the units of such a zone, and
// those that were never written (zeroes), get one version, the zone's generation: newer than all that the zone held
// before its reset, and not newer than what it has spilled since. With such areas what is spilled is a log, erased from
// its oldest end on; a reset is noted there, with the newest version that it ends, before anything is erased.
//
// The simulator keeps a map of units (UnitMap) beside that, as MappedFtl reads by it; the firmware that is modelled
// looks a zone up once for each command, and once for each program unit: what is charged says so.
//
// After a power cut what was written of a zone without a gap, in the order of the versions, is its data; what else of
// it is found is dropped. A program that was torn would keep its erase unit from being written on: what is good in it
// is copied to another one (mount), before anything is written there. So it is where a program fails; the erase unit is
// given back, and its erase is its last. Where too few good ones are left zones are taken away: first such as are empty
// go offline, then the one in which the program failed becomes read-only. States that must survive power cuts are noted
// in an erase unit of their own, by padding that names zone and state (state_word).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/collect/copier.hpp"
#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/mapping/mapped_ftl.hpp"
#include "controllers/ftl/zones/zone_layout.hpp"
#include "controllers/ftl/zones/zones.hpp"

namespace flashloom {

class ZonedFtl final : public MappedFtl, private Zones {
 public:
  explicit ZonedFtl(const FtlContext& context);

  Task<void> recover() override;
  Task<void> write(WriteUnit& unit) override;
  Task<void> seal() override;
  Task<void> come_to_rest() override;
  Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) override;
  Task<void> persist_trims() override;
  std::uint32_t waiting_units() const override;
  void hold_up(std::uint32_t) override { resets_at_once_ = true; }
  MountReport mount_report() const override { return mounted_; }
  void state(StateArchive& archive, FrontBuffer& front) override;
  void check() const override;
  Zones* zones() override { return this; }
  const Zones* zones() const override { return this; }

 private:
  /// For good: what power cuts do not change.
  enum class Ended : std::uint8_t { No, ReadOnly, Offline };
  struct Zone {
    std::vector<BlockNumber> blocks;     ///< by slot; kNoBlockNumber: not opened
    std::vector<BlockNumber> given_up;   ///< of its data before a reset, to be erased later
    std::uint32_t programmed = 0;        ///< program units that have gone to their places
    std::vector<WriteUnit*> waiting;     ///< of the next ones, by unit: from the buffer; null: spilled, or nothing
    std::vector<PendingErase> erasing;   ///< since its last reset
    bool padding = false;                ///< it is finished, and the rest is padded behind what else is programmed
    bool reset_unsafe = false;           ///< a power cut would bring the data in given_up back
    bool may_return = false;             ///< so it would, after a reset, with what it has spilled
    bool area = false;                   ///< units wait for a commit
    bool gaps = false;                   ///< since its last reset it has had a random write area
    std::uint64_t generation = 1;        ///< above the versions of all that it held before its last reset
  };

  // Zones
  ZoneTable& table() override { return table_; }
  const ZoneTable& table() const override { return table_; }
  const ZoneCosts& costs() const override { return costs_; }
  std::uint32_t blocks_per_zone() const override { return shape_.blocks_per_zone(); }
  std::uint64_t map_bytes() const override { return shape_.map_bytes(); }
  std::uint32_t unit_bytes() const override { return context_.geometry.unit_bytes; }
  void tell(ZoneListener& listener) override { listener_ = &listener; }
  Task<void> finish(std::uint32_t zone) override;
  std::uint32_t padding_members() const override { return shape_.pads_behind() ? shape_.members() : 0; }
  Task<bool> before_padding(std::uint32_t zone, std::uint32_t member) override;
  Task<void> pad(std::uint32_t zone, std::uint32_t member) override;
  void give_area(std::uint32_t zone) override;
  Task<void> commit(std::uint32_t zone, std::uint32_t end) override;
  Task<void> settled(std::uint32_t zone) override;

  std::uint32_t first_unit(std::uint32_t zone) const { return zone * shape_.zone_units(); }
  std::uint32_t offset_of(std::uint32_t unit) const { return unit % shape_.zone_units(); }
  /// The first unit of a zone that has not gone to its place, as an offset.
  std::uint32_t pending_from(const Zone& zone) const { return zone.programmed * units_per_program_; }

  /// kNoBlockNumber: the device has none left, and has come to its end.
  Task<BlockNumber> open_on(std::uint32_t bank);
  Task<BlockNumber> open_anywhere();
  /// With the most free erase units.
  std::uint32_t roomiest_die() const;
  static constexpr std::uint32_t kNoEnd = ~std::uint32_t{0};
  /// What has no data from the offset `data_end` on is the padding of a finish.
  Task<void> program_next(std::uint32_t zone, std::uint32_t data_end = kNoEnd);
  void place(ProgramJob& job, WriteUnit& unit);
  void copy(ProgramJob& job, std::uint32_t unit);
  /// The same, and a unit that nobody has written, at its place in a zone.
  void place_home(ProgramJob& job, WriteUnit& unit, const Zone& zone);
  void copy_home(ProgramJob& job, std::uint32_t unit, const Zone& zone);
  void zero_home(ProgramJob& job, std::uint32_t unit, const Zone& zone);
  void copy_as(ProgramJob& job, std::uint32_t unit, OobWord word);
  void launch(ProgramJob& job);
  Task<void> reset(std::uint32_t zone, std::uint64_t version);
  void unmap(std::uint32_t unit);
  void give_back(BlockNumber block, Origin origin);
  void erase_given_up(Zone& zone);
  WaitList* before_erased(PendingErase erase);
  Task<void> until_erased(const std::vector<PendingErase>& erases);  ///< which outlive it
  bool lacks_blocks(std::uint32_t set) const;
  std::uint32_t blocks_wanted(std::uint32_t set, std::uint32_t member) const;
  /// Padding of a finish, in that erase unit of a zone: what is left of it after a reset is taken for no other one's.
  OobWord finish_word(std::uint32_t zone, std::uint32_t slot) const {
    return layout_.parity(zone * shape_.blocks_per_zone() + slot + 1);
  }
  std::uint32_t finish_words() const { return shape_.zones() * shape_.blocks_per_zone(); }
  /// Padding of what was spilled of random write areas, and of the notes of resets.
  OobWord area_word() const { return layout_.parity(finish_words() + 1); }
  OobWord reset_word() const { return layout_.parity(finish_words() + 2); }
  /// Padding that says how a zone has ended.
  OobWord state_word(std::uint32_t zone, Ended ended) const {
    return layout_.parity(finish_words() + 2 + static_cast<std::uint32_t>(ended) + 2 * zone);
  }
  void pad_unit(ProgramJob& job, std::uint32_t zone, std::uint32_t slot);
  void count_padded(std::uint32_t units) {
    statistics_.units_padded += units;
    statistics_.streams[0].units_padded += units;
  }
  const Zone& zone_with(std::uint32_t unit) const { return zones_[unit / shape_.zone_units()]; }
  OobWord word_of(PhysicalUnit place) const;

  // --- Padding, also behind what else is programmed (zoned_ftl_padding.cpp).
  /// Program units of a die that padding lets pass, where it always has more than one to program.
  static constexpr std::uint32_t kPaddingPatience = 8;
  /// One program unit of padding that is not missed; false: it is left out.
  Task<bool> pad_program(std::uint32_t zone, std::uint32_t slot);
  std::optional<std::uint32_t> slot_to_pad(std::uint32_t zone, std::uint32_t member) const;
  /// What padding of that erase unit waits for, while its die has more than one to program; null: it has not.
  WaitList* before_room_to_pad(std::uint32_t zone, std::uint32_t slot);

  // --- Spilled program units (zoned_ftl_spill.cpp).
  /// `gaps`: of zones that have had a random write area, or of the others.
  Task<void> spill(bool gaps);
  Task<void> before_areas();
  Task<void> note_reset(std::uint32_t zone, std::uint64_t version);
  Task<void> drop_oldest_spilled();
  /// The erase unit that is written has room for so many program units.
  bool has_room(std::uint32_t programs) const { return !spill_.empty() && has_room(spill_.back(), programs); }
  bool has_room(BlockNumber block, std::uint32_t programs) const;
  bool has_room_for(BlockNumber spilled) const;
  bool spills_to_log() const { return shape_.random_units() != 0; }
  /// There is room for so many program units in one erase unit. Null: there is none.
  Task<ProgramJob*> begin_spill(std::uint32_t programs = 1);
  /// The same without making the others shorter.
  Task<ProgramJob*> begin_moved();
  void launch_spill(ProgramJob* job, bool gaps);
  /// False: there is no erase unit for it.
  Task<bool> open_spill();
  Task<bool> make_spill_room();
  Task<void> move_spilled(BlockNumber from);
  Task<void> move_spilled(BlockNumber from, bool gaps);
  Task<void> empty_spill();
  void release_spilled();

  // --- Programs that fail, and blocks that are lost (zoned_ftl_failures.cpp). As everywhere the decision runs ahead of
  // the deed (Programmer): what fails is tried by the program unit that is begun next.
  /// The next program unit of a block fails: it has been given out, and nothing more is begun there.
  bool lets_fail(BlockNumber block);
  template <class Try>
  void try_failures(Try&& try_them);
  /// That one is it.
  void carry(ProgramJob& job);
  /// There is none: padding is tried.
  void try_padding();
  /// Of a block in which nothing is left.
  void carry_before_giving_back(BlockNumber block);
  /// An erase unit of a zone that has been replaced is given back as soon as nothing that fails in it is to be carried.
  void let_go();
  /// The erase unit of the zone takes its next program unit; false: the device has come to its end.
  Task<bool> prepare(std::uint32_t zone, std::uint32_t slot);
  /// The same of padding that is not missed; false: it is left out.
  Task<bool> prepare_padding(std::uint32_t zone, std::uint32_t slot);
  void refuse_last(Zone& zone);
  /// Copies what is good in an erase unit of a zone to another one, where programming goes on; false: there is none.
  Task<bool> rehome(std::uint32_t zone, std::uint32_t slot, Origin origin);
  bool copy_rows(std::uint32_t zone, std::uint32_t slot, BlockNumber target, Origin origin);
  void put_back(std::uint32_t zone, std::uint32_t slot, std::uint32_t rows);
  /// Blocks have been lost: with the last of those that are kept the zone is, or an empty one of its set.
  Task<void> face_losses(std::uint32_t zone);
  std::uint32_t emptiest(std::uint32_t zone) const;
  Task<void> take_offline(std::uint32_t zone);
  Task<void> make_read_only(std::uint32_t zone);
  void end_life();
  void close_all();

  // --- How zones have ended, on flash (zoned_ftl_states.cpp).
  Task<void> note_end(std::uint32_t zone, Ended ended);
  /// Into new erase units; the old ones are given back. False: there is none.
  Task<bool> note_all(Origin origin);
  Task<ProgramJob*> begin_note();
  void launch_note(ProgramJob& job);

  // --- After power-on (zoned_ftl_mount.cpp).
  class Resolver;

  ZoneLayout shape_;
  ZoneTable table_;
  ZoneCosts costs_;
  Copier copier_;
  Eraser eraser_;
  std::uint32_t units_per_program_;
  bool mounting_ = false;
  bool resets_at_once_ = false;  ///< what is acknowledged survives: a reset must, too
  std::vector<Zone> zones_;
  std::deque<BlockNumber> spill_;  ///< erase units for what is spilled, opened longest ago first; the last is written
  bool stale_spill_ = false;       ///< they hold what a power cut would bring back though it was reset
  bool notes_ends_;                ///< blocks may fail
  std::vector<Ended> ended_;       ///< by zone, as far as it is noted
  std::vector<BlockNumber> notes_;  ///< erase units that say so; the last is written
  ZoneListener* listener_ = nullptr;
  std::vector<FailedProgram> failures_;  ///< to be carried by the next program unit
  struct Replaced {
    BlockNumber block;
    std::uint32_t zone;
    Origin origin;
  };
  std::vector<Replaced> replaced_;
  MountReport mounted_;
  std::vector<PendingErase> mount_erases_;
};

}  // namespace flashloom
