#include "controllers/ftl/blocks/unit_map.hpp"

#include <algorithm>

namespace flashloom {

void UnitMap::Rule::end_fill(std::uint32_t first, std::uint32_t end) {
  places_.end(end);
  const std::uint64_t units = std::uint64_t{end} * units_.value();
  for (std::uint64_t piece = std::uint64_t{first} * units_.value() / kPiece; piece * kPiece < units; ++piece)
    pieces_[piece].stretch =
        places_.stretch_of(std::max(first, units_.quotient(static_cast<std::uint32_t>(piece * kPiece))));
}

void UnitMap::Rule::state(StateArchive& archive) { archive(places_, told_, pieces_, changed_, count_); }

bool UnitMap::Rule::change(std::uint32_t unit, PhysicalUnit to) {
  Piece& piece = pieces_[unit / kPiece];
  const std::uint64_t group = std::uint64_t{1} << group_in_piece(unit);
  if (PhysicalUnit* const there = (piece.changed & group) != 0 ? changed_.find(unit) : nullptr) {
    *there = to;
    return true;
  }
  if (piece.changes == kMostChanges) return false;
  piece.changed |= group;
  ++piece.changes;
  changed_.add(unit, to, [this](std::uint32_t other) { return tells(other); });
  return true;
}

void UnitMap::begin_fill(std::uint32_t units_per_program) {
  rule_ = std::make_unique<Rule>(units_, units_per_program);
  memory_.touch_in_small_pages();
}

// Writes the entries of pieces that the fill covers only in part to the table.
void UnitMap::end_fill(std::uint32_t first, std::uint32_t end) {
  rule_->end_fill(first, end);
  const std::uint64_t from = std::uint64_t{first} * rule_->units_per_program();
  const std::uint64_t to = std::uint64_t{end} * rule_->units_per_program();
  const std::uint64_t piece = std::min((from + Rule::kPiece - 1) / Rule::kPiece, to / Rule::kPiece);
  const std::uint64_t last_piece = to / Rule::kPiece;
  write(from, std::max(from, piece * Rule::kPiece));
  write(std::max(from, last_piece * Rule::kPiece), to);
  for (std::uint64_t each = piece; each < last_piece; ++each) rule_->tell(static_cast<std::uint32_t>(each));
  if (rule_->empty()) rule_.reset();
}

void UnitMap::write(std::uint64_t first, std::uint64_t end) {
  const std::uint32_t units = rule_->units_per_program();
  auto in_program = static_cast<std::uint32_t>(first % units);
  rule_->for_places(first, end, [&](std::uint32_t place) {
    for (; in_program < units && first < end; ++in_program)
      set_entry(static_cast<std::uint32_t>(first++), place * units + in_program);
    in_program = 0;
  });
}

void UnitMap::change(std::uint32_t unit, PhysicalUnit to) {
  if (rule_->change(unit, to)) return;
  write_out(unit);
  set_entry(unit, to);
}

// Writes the entries of the unit's piece to the table. An empty rule is dropped: it would only cost time.
void UnitMap::write_out(std::uint32_t unit) {
  const std::uint32_t piece = unit / Rule::kPiece;
  write(std::uint64_t{piece} * Rule::kPiece, (std::uint64_t{piece} + 1) * Rule::kPiece);
  rule_->for_changed(piece, [this](std::uint32_t at, PhysicalUnit place) { set_entry(at, place); });
  rule_->forget(piece);
  if (rule_->empty()) rule_.reset();
}

void UnitMap::state(StateArchive& archive) {
  if (archive.takes_rules()) {
    bool any = rule_ != nullptr;
    std::uint32_t units = any ? rule_->units_per_program() : 1;
    archive(any, units);
    if (any && rule_ == nullptr) begin_fill(units);
    if (any) rule_->state(archive);
  }
  archive.mapping(memory_.data(), memory_.size(), [&] {
    const bool told = rule_ != nullptr && !archive.takes_rules();
    archive.differences(
        units_,
        [this, told](std::uint64_t i) {
          const auto unit = static_cast<std::uint32_t>(i);
          return static_cast<std::uint32_t>((told ? get(unit) : entry(unit)) + 1);
        },
        [this](std::uint64_t unit, std::uint32_t value) { entries_.set(unit, value); });
  });
}

}  // namespace flashloom
