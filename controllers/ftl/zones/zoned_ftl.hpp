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
// then. A flush spills them unit by unit beside padding of a special kind (area_word): a mount takes the newest version
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
// power cuts are recorded in separate erase units, as padding that names zone and state (state_word).
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
  /// Final states, which power cuts do not change.
  enum class Ended : std::uint8_t { No, ReadOnly, Offline };
  struct Zone {
    std::vector<BlockNumber> blocks;    ///< by slot; kNoBlockNumber: not opened
    std::vector<BlockNumber> given_up;  ///< hold data from before a reset, to be erased later
    std::uint32_t programmed = 0;       ///< program units programmed at their places
    std::vector<WriteUnit*> waiting;    ///< next units, from the buffer; null: spilled or unwritten
    std::vector<PendingErase> erasing;  ///< erases begun since its last reset
    bool padding = false;               ///< finished; the rest is padded in the background
    bool reset_unsafe = false;          ///< a power cut would bring back the data in given_up
    bool may_return = false;            ///< after a reset, a power cut would bring back its spilled units
    bool area = false;                  ///< it has a random write area: units wait for a commit
    bool gaps = false;                  ///< it has had a random write area since its last reset
    std::uint64_t generation = 1;       ///< above all versions that it held before its last reset
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
  /// Offset of the zone's first unit that has not been programmed at its place.
  std::uint32_t pending_from(const Zone& zone) const { return zone.programmed * units_per_program_; }

  /// Opens an erase unit; kNoBlockNumber if the device has none left and is worn out.
  Task<BlockNumber> open_on(std::uint32_t bank);
  Task<BlockNumber> open_anywhere();
  /// The die with the most free erase units.
  std::uint32_t roomiest_die() const;
  static constexpr std::uint32_t kNoEnd = ~std::uint32_t{0};
  /// Programs the zone's next program unit at its place. From offset `data_end` on, units without data are padding of a
  /// finish.
  Task<void> program_next(std::uint32_t zone, std::uint32_t data_end = kNoEnd);
  void place(ProgramJob& job, WriteUnit& unit);
  void copy(ProgramJob& job, std::uint32_t unit);
  /// Place, copy, or zero-fill a unit at its place in a zone.
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
  Task<void> until_erased(const std::vector<PendingErase>& erases);  ///< `erases` must outlive it
  bool lacks_blocks(std::uint32_t set) const;
  std::uint32_t blocks_wanted(std::uint32_t set, std::uint32_t member) const;
  /// Padding word of a finish in a slot of a zone: after a reset, leftover padding is not mistaken for that of another
  /// zone.
  OobWord finish_word(std::uint32_t zone, std::uint32_t slot) const {
    return layout_.parity(zone * shape_.blocks_per_zone() + slot + 1);
  }
  std::uint32_t finish_words() const { return shape_.zones() * shape_.blocks_per_zone(); }
  /// Padding words beside spilled units of random write areas, and beside records of resets.
  OobWord area_word() const { return layout_.parity(finish_words() + 1); }
  OobWord reset_word() const { return layout_.parity(finish_words() + 2); }
  /// Padding word that records the final state of a zone.
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

  // --- Padding, also in the background of other programs (zoned_ftl_padding.cpp).
  /// Program completions on a die for which padding waits, if the die always has more than one program pending.
  static constexpr std::uint32_t kPaddingPatience = 8;
  /// Programs one optional program unit of padding; false if it is skipped.
  Task<bool> pad_program(std::uint32_t zone, std::uint32_t slot);
  std::optional<std::uint32_t> slot_to_pad(std::uint32_t zone, std::uint32_t member) const;
  /// What padding of that slot waits for while its die has more than one program pending; null if it has not.
  WaitList* before_room_to_pad(std::uint32_t zone, std::uint32_t slot);

  // --- Spilled program units (zoned_ftl_spill.cpp).
  /// `gaps`: spills zones that have had a random write area since their reset, or else the others.
  Task<void> spill(bool gaps);
  Task<void> before_areas();
  Task<void> note_reset(std::uint32_t zone, std::uint64_t version);
  Task<void> drop_oldest_spilled();
  /// Whether the erase unit being written has room for `programs` program units.
  bool has_room(std::uint32_t programs) const { return !spill_.empty() && has_room(spill_.back(), programs); }
  bool has_room(BlockNumber block, std::uint32_t programs) const;
  bool has_room_for(BlockNumber spilled) const;
  bool spills_to_log() const { return shape_.random_units() != 0; }
  /// Begins a spill program unit, with room for `programs` of them in one erase unit; null if none is left.
  Task<ProgramJob*> begin_spill(std::uint32_t programs = 1);
  /// Begins a program unit for moved spilled units, without shortening the log; null if no erase unit is left.
  Task<ProgramJob*> begin_moved();
  void launch_spill(ProgramJob* job, bool gaps);
  /// False if no erase unit is left.
  Task<bool> open_spill();
  Task<bool> make_spill_room();
  Task<void> move_spilled(BlockNumber from);
  Task<void> move_spilled(BlockNumber from, bool gaps);
  Task<void> empty_spill();
  void release_spilled();

  // --- Program failures and lost blocks (zoned_ftl_failures.cpp). As elsewhere decisions precede flash operations
  // (Programmer): the next program unit begun tries the failing place first.
  /// Whether the block's next program unit fails; if so, it is given out, and nothing more is begun in the block.
  bool lets_fail(BlockNumber block);
  template <class Try>
  void try_failures(Try&& try_them);
  /// Makes `job` try the failures first.
  void carry(ProgramJob& job);
  /// Tries the failures with padding, if no program unit follows.
  void try_padding();
  /// Tries failures in a block that is to be released.
  void carry_before_giving_back(BlockNumber block);
  /// Releases the replaced erase units of zones once no failure in them remains to be tried.
  void let_go();
  /// Prepares the slot's erase unit for its next program unit; false if the device is worn out.
  Task<bool> prepare(std::uint32_t zone, std::uint32_t slot);
  /// prepare() for optional padding; false if it is skipped.
  Task<bool> prepare_padding(std::uint32_t zone, std::uint32_t slot);
  void refuse_last(Zone& zone);
  /// Copies the good data of a slot's erase unit to another one, where programming continues; false if there is none.
  Task<bool> rehome(std::uint32_t zone, std::uint32_t slot, Origin origin);
  bool copy_rows(std::uint32_t zone, std::uint32_t slot, BlockNumber target, Origin origin);
  void put_back(std::uint32_t zone, std::uint32_t slot, std::uint32_t rows);
  /// After blocks were lost: while the reserve is used up, takes an empty zone of the set offline, or else makes this
  /// one read-only.
  Task<void> face_losses(std::uint32_t zone);
  std::uint32_t emptiest(std::uint32_t zone) const;
  Task<void> take_offline(std::uint32_t zone);
  Task<void> make_read_only(std::uint32_t zone);
  void end_life();
  void close_all();

  // --- Records of final zone states on flash (zoned_ftl_states.cpp).
  Task<void> note_end(std::uint32_t zone, Ended ended);
  /// Rewrites all records into new erase units and releases the old ones. False if there is none.
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
  bool resets_at_once_ = false;  ///< acknowledged data survive power cuts, so resets must, too
  std::vector<Zone> zones_;
  std::deque<BlockNumber> spill_;   ///< erase units of spilled units, oldest first; the last is being written
  bool stale_spill_ = false;        ///< spill_ holds reset data that a power cut would bring back
  bool notes_ends_;                 ///< blocks may fail
  std::vector<Ended> ended_;        ///< by zone, as recorded
  std::vector<BlockNumber> notes_;  ///< erase units of these records; the last is being written
  ZoneListener* listener_ = nullptr;
  std::vector<FailedProgram> failures_;  ///< to be tried first by the next program unit
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
