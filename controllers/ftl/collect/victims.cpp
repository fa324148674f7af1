#include "controllers/ftl/collect/victims.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {
namespace {

template <class Members, class Units>
std::uint32_t sum_over(Members&& members, Units units_of) {
  std::uint32_t units = 0;
  for (const BlockNumber member : members) units += units_of(member);
  return units;
}

}  // namespace

Victims::Victims(const FtlPart& part)
    : FtlPart(part),
      low_(context_.config.gc_low + blocks_.spare().failure_reserve()),
      high_(context_.config.gc_high + blocks_.spare().failure_reserve()),
      kept_(kGcReserve + blocks_.spare().failure_reserve()),
      stripe_units_(blocks_.one_by_one() ? blocks_.units_per_block() : units_per_program_),
      victims_(blocks_.groups()) {}

void Victims::set_space(VictimSource& source) {
  space_ = &source;
  for (Victim& victim : victims_) victim.source = &source;
}

void Victims::give_up(std::uint32_t group) {
  Victim& victim = victims_[group];
  victim.source->put_back(victim.gc_unit);
  victim.source = space_;
  end(group);
}

void Victims::begin(std::uint32_t group, GcUnit unit, VictimSource& source, std::uint64_t copies_per_program,
                    std::uint64_t collection) {
  Victim& victim = victims_[group];
  victim.gc_unit = unit;
  victim.from_member = 0;
  victim.next_unit = 0;
  for (const BlockNumber member : blocks_.members_of(unit))
    if (blocks_[member].state == BlockState::Closed) take(member);
  victim.from = blocks_.member(unit, 0);
  victim.end_unit = std::min(stripe_units_, blocks_.units_of(victim.from));
  victim.source = &source;
  victim.copies_per_program = static_cast<std::uint32_t>(copies_per_program);
  victim.collection = collection;
}

// All words and map entries of the member will be read, so those that a fill described by a rule are written to the
// tables now, with those of units that are not on flash yet.
void Victims::take(BlockNumber block) {
  blocks_.collect(block);
  const FlashAddress address = blocks_.address(block, 0);
  context_.media.write_out(address.die, address.block);
  if (!map_.by_rule()) return;
  const NandMedia::BlockWords words = words_of(block);
  for (std::uint32_t unit = 0; unit < blocks_.units_of(block); ++unit)
    if (const OobWord word = word_of(blocks_[block], words, unit); layout_.is_data(word))
      map_.enter(layout_.unit(word));
}

bool Victims::next_stripe(Victim& victim) const {
  if (emptied(victim)) return false;
  do {
    if (victim.from_member + 1 == blocks_.members() && victim.end_unit >= blocks_.units_of(victim.from))
      throw std::logic_error("a victim has fewer valid units than its count says");
    if (++victim.from_member == blocks_.members()) {
      victim.from_member = 0;
      victim.end_unit += stripe_units_;
    }
    victim.from = blocks_.member(victim.gc_unit, victim.from_member);
  } while (blocks_[victim.from].valid == 0);
  victim.next_unit = victim.end_unit - stripe_units_;
  return true;
}

// All members of a victim hold data of one stream.
std::uint32_t Victims::stream_of(std::uint32_t group) const {
  for (const BlockNumber member : blocks_.members_of(victims_[group].gc_unit))
    if (blocks_[member].state == BlockState::Collecting) return blocks_[member].stream;
  return kNoStream;
}

bool Victims::all_closed(GcUnit unit) const {
  bool any = false;
  for (const BlockNumber member : blocks_.members_of(unit)) {
    const BlockState state = blocks_[member].state;
    if (state != BlockState::Closed && state != BlockState::Bad) return false;
    any = any || state == BlockState::Closed;
  }
  return any;
}

std::uint32_t Victims::valid_of(GcUnit unit) const {
  return sum_over(blocks_.members_of(unit), [&](BlockNumber member) { return blocks_[member].valid; });
}

std::uint32_t Victims::room_of(GcUnit unit) const {
  return sum_over(blocks_.members_of(unit), [&](BlockNumber member) {
    const bool holds_data = blocks_[member].state != BlockState::Bad && blocks_[member].parity == 0;
    return holds_data ? blocks_.whole_units_of(member) : 0;
  });
}

std::uint32_t Victims::taken_of(GcUnit unit) const {
  const UnitSizes* const sizes = blocks_.sizes();
  if (sizes == nullptr) return valid_of(unit);
  return sum_over(blocks_.members_of(unit), [&](BlockNumber member) { return sizes->units(member); });
}

std::uint32_t Victims::most_taken_of(GcUnit unit) const {
  const UnitSizes* const sizes = blocks_.sizes();
  if (sizes == nullptr) return valid_of(unit);
  return sum_over(blocks_.members_of(unit),
                  [&](BlockNumber member) { return sizes->most_units(member, blocks_[member].valid); });
}

}  // namespace flashloom
