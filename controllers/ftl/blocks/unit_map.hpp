// L2P map: logical unit -> physical unit, with as many bits per unit as physical units need; memory is committed when
// touched. A rule describes units written by a sequential fill, in 4 bytes per program unit, until an entry near them
// changes.
#pragma once

#include <cstdint>
#include <memory>

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
      return rule_->prefetch(unit);
    entries_.prefetch(unit);
  }
  PhysicalUnit get(std::uint32_t unit) const {
    if (rule_ != nullptr && rule_->tells(unit)) [[unlikely]]
      return rule_->place(unit);
    return entry(unit);
  }
  void set(std::uint32_t unit, PhysicalUnit to) {
    if (rule_ != nullptr && rule_->tells(unit)) [[unlikely]]
      write_out(unit);
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
  /// Program unit `number` lies at `place`, which is PhysicalUnit / units_per_program.
  void add_program(std::uint32_t number, std::uint32_t place) { rule_->add(number, place); }
  /// Program units `first` to `end` - 1 were added.
  void end_fill(std::uint32_t first, std::uint32_t end);

  void state(StateArchive& archive);

 private:
  /// The rule, by piece of the table: it describes all entries of a piece, or none.
  class Rule {
   public:
    static constexpr std::uint32_t kPiece = 1024;

    Rule(std::uint64_t units, std::uint32_t units_per_program);

    bool tells(std::uint32_t unit) const { return told_.has(unit / kPiece); }
    PhysicalUnit place(std::uint32_t unit) const {
      const std::uint32_t program = units_.quotient(unit);
      return places_[program] * units_.value() + (unit - program * units_.value());
    }
    [[gnu::always_inline]] void prefetch(std::uint32_t unit) const {
      __builtin_prefetch(places_ + units_.quotient(unit));
    }
    void add(std::uint32_t number, std::uint32_t place) { places_[number] = place; }
    std::uint32_t units_per_program() const { return units_.value(); }
    void tell(std::uint32_t piece) {
      told_.set(piece);
      ++pieces_;
    }
    void forget(std::uint32_t piece) {
      told_.clear(piece);
      --pieces_;
    }
    /// It describes no piece any more.
    bool empty() const { return pieces_ == 0; }
    void state(StateArchive& archive);

   private:
    Divisor units_;  // of a program unit
    ZeroedMemory memory_;
    std::uint32_t* places_;     // by program unit of the fill
    UnitBits told_;             // by piece
    std::uint32_t pieces_ = 0;  // set bits
  };

  void write(std::uint64_t first, std::uint64_t end);
  [[gnu::cold]] void write_out(std::uint32_t unit);

  std::uint64_t units_;
  ZeroedMemory memory_;
  PackedTable entries_;         // an entry holds physical unit + 1
  std::unique_ptr<Rule> rule_;  // null: the table holds all entries
};

}  // namespace flashloom
