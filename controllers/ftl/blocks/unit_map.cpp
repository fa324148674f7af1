#include "controllers/ftl/blocks/unit_map.hpp"

#include <algorithm>

namespace flashloom {

UnitMap::Rule::Rule(std::uint64_t units, std::uint32_t units_per_program)
    : units_(units_per_program),
      memory_((units / units_per_program + 1) * sizeof(std::uint32_t)),
      places_(reinterpret_cast<std::uint32_t*>(memory_.data())),
      told_(units / kPiece + 1) {}

void UnitMap::Rule::state(StateArchive& archive) {
  archive(told_, pieces_);
  archive.mapping(memory_.data(), memory_.size(),
                  [&] { archive.differences(places_, memory_.size() / sizeof(std::uint32_t)); });
}

void UnitMap::begin_fill(std::uint32_t units_per_program) {
  rule_ = std::make_unique<Rule>(units_, units_per_program);
  memory_.touch_in_small_pages();
}

// Writes the entries of pieces that the fill covers only in part to the table.
void UnitMap::end_fill(std::uint32_t first, std::uint32_t end) {
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
  for (std::uint64_t unit = first; unit < end;) {
    PhysicalUnit place = rule_->place(static_cast<std::uint32_t>(unit));
    const std::uint64_t next = std::min(end, unit - unit % units + units);
    while (unit < next) set_entry(static_cast<std::uint32_t>(unit++), place++);
  }
}

// Writes the entries of the unit's piece to the table. An empty rule is dropped: it would only cost time.
void UnitMap::write_out(std::uint32_t unit) {
  const std::uint32_t piece = unit / Rule::kPiece;
  write(std::uint64_t{piece} * Rule::kPiece, (std::uint64_t{piece} + 1) * Rule::kPiece);
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
