// L2P map: logical unit -> physical unit, with as many bits per unit as physical units need; memory is committed when
// touched. A rule describes units written by a sequential fill (FillPlaces). Where few entries change, these are kept
// beside it; where many do, it is written out.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/fill_places.hpp"
#include "controllers/ftl/blocks/sparse_units.hpp"
#include "controllers/ftl/blocks/unit_bits.hpp"
#include "controllers/ftl/records/block_numbers.hpp"
#include "models/common/divisor.hpp"
#include "models/common/packed_table.hpp"
#include "models/nand/zeroed_memory.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

class UnitMap {
 public:
  /// A map of `units` logical units to physical units below `places`. Throws std::runtime_error if memory cannot be
  /// allocated.
  explicit UnitMap(std::uint64_t units, std::uint64_t places = kNoPhysicalUnit)
      : units_(units),
        memory_(PackedTable::bytes(units + 1, PackedTable::width_for(places))),
        entries_(memory_.data(), PackedTable::width_for(places)) {}

  std::uint64_t size() const { return units_; }
  // Forced inline: GCC drops a call of a function that only prefetches, because it sees no effect.
  [[gnu::always_inline]] void prefetch(std::uint32_t unit) const {
    if (rule_ != nullptr && rule_->tells(unit)) [[unlikely]]
      return;
    entries_.prefetch(unit);
  }
  PhysicalUnit get(std::uint32_t unit) const {
    if (rule_ != nullptr && rule_->tells(unit)) [[unlikely]]
      return rule_->place(unit);
    return entry(unit);
  }
  void set(std::uint32_t unit, PhysicalUnit to) {
    if (rule_ != nullptr && rule_->tells(unit)) [[unlikely]]
      return change(unit, to);
    set_entry(unit, to);
  }
  void clear(std::uint32_t unit) { set(unit, kNoPhysicalUnit); }
  // --- Accessors for units known to be in the table, not under the rule: for loops.
  [[gnu::always_inline]] void prefetch_entry(std::uint32_t unit) const { entries_.prefetch(unit); }
  PhysicalUnit entry(std::uint32_t unit) const {
    return static_cast<PhysicalUnit>(entries_.get(unit)) - 1;  // 0 - 1 = kNoPhysicalUnit
  }
  void set_entry(std::uint32_t unit, PhysicalUnit to) { entries_.set(unit, static_cast<PhysicalUnit>(to + 1)); }
  /// Moves the unit from the rule into the table, if need be.
  void enter(std::uint32_t unit) {
    if (rule_ != nullptr && rule_->tells(unit)) [[unlikely]]
      write_out(unit);
  }
  /// Whether a rule describes any units.
  bool by_rule() const { return rule_ != nullptr; }

  // --- A sequential fill from unit 0 on: its program unit n holds, in order and contiguously, the units from n *
  // units_per_program on. Nothing else may use the map between begin_fill() and end_fill().
  void begin_fill(std::uint32_t units_per_program);
  /// FillPlaces::add() and next_turn(); `place` is PhysicalUnit / units_per_program.
  void add_program(std::uint32_t number, std::uint32_t place) { rule_->places().add(number, place); }
  void next_turn(std::uint32_t number, std::vector<std::uint32_t>& places) const {
    rule_->places().next_turn(number, places);
  }
  /// Program units `first` to `end` - 1 were added.
  void end_fill(std::uint32_t first, std::uint32_t end);

  void state(StateArchive& archive);

 private:
  /// The rule, by piece of the table: it describes all entries of a piece, but for a few that changed, or none.
  class Rule {
   public:
    static constexpr std::uint32_t kPiece = 1024;

    Rule(std::uint64_t units, std::uint32_t units_per_program)
        : units_(units_per_program), told_(units / kPiece + 1), pieces_(units / kPiece + 1) {}

    bool tells(std::uint32_t unit) const { return told_.has(unit / kPiece); }
    PhysicalUnit place(std::uint32_t unit) const {
      if ((pieces_[unit / kPiece].changed >> group_in_piece(unit) & 1) != 0)
        if (const PhysicalUnit* const changed = changed_.find(unit)) return *changed;
      const std::uint32_t program = units_.quotient(unit);
      const std::uint32_t place = places_.place(program, pieces_[unit / kPiece].stretch);
      return place * units_.value() + (unit - program * units_.value());
    }
    /// False: too much has changed in its piece, which is to be written out.
    bool change(std::uint32_t unit, PhysicalUnit to);
    /// Calls f(unit, place) for what has changed in a piece.
    template <class F>
    void for_changed(std::uint32_t piece, F f) const {
      for (std::uint64_t groups = pieces_[piece].changed; groups != 0; groups &= groups - 1)
        changed_.for_group(piece * kGroups + static_cast<std::uint32_t>(std::countr_zero(groups)), f);
    }
    /// Calls f(place) for the program units with the mapping units from `first` to `end` - 1.
    template <class F>
    void for_places(std::uint64_t first, std::uint64_t end, F f) const {
      places_.for_places(units_.quotient(static_cast<std::uint32_t>(first)),
                         static_cast<std::uint32_t>((end + units_.value() - 1) / units_.value()),
                         pieces_[first / kPiece].stretch, f);
    }
    FillPlaces& places() { return places_; }
    std::uint32_t units_per_program() const { return units_.value(); }
    /// Program units `first` to `end` - 1 were added.
    void end_fill(std::uint32_t first, std::uint32_t end);
    void tell(std::uint32_t piece) {
      told_.set(piece);
      ++count_;
    }
    void forget(std::uint32_t piece) {
      told_.clear(piece);
      --count_;
    }
    /// It describes no piece any more.
    bool empty() const { return count_ == 0; }
    void state(StateArchive& archive);

   private:
    static constexpr std::uint32_t kGroups = kPiece / SparseUnits::kGroup;  // of a piece
    static_assert(kGroups == 64);
    static constexpr std::uint32_t kMostChanges = 32;  // of a piece
    static std::uint32_t group_in_piece(std::uint32_t unit) { return unit / SparseUnits::kGroup % kGroups; }

    struct Piece {
      std::uint64_t changed;  // a bit for each group of units in which there were changes
      std::uint32_t stretch;  // of its first unit that was filled
      std::uint32_t changes;
    };

    Divisor units_;  // of a program unit
    FillPlaces places_;
    UnitBits told_;  // by piece
    std::vector<Piece> pieces_;
    SparseUnits changed_;
    std::uint32_t count_ = 0;  // pieces that it describes
  };

  [[gnu::noinline]] void change(std::uint32_t unit, PhysicalUnit to);
  void write(std::uint64_t first, std::uint64_t end);
  [[gnu::cold]] void write_out(std::uint32_t unit);

  std::uint64_t units_;
  ZeroedMemory memory_;
  PackedTable entries_;         // an entry holds physical unit + 1
  std::unique_ptr<Rule> rule_;  // null: the table holds all entries
};

}  // namespace flashloom
