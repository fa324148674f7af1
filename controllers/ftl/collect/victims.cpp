#include "controllers/ftl/collect/victims.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

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
  victim.source->put_back(victim.superblock);
  victim.source = space_;
  end(group);
}

void Victims::begin(std::uint32_t group, SuperblockNumber superblock, VictimSource& source,
                    std::uint64_t copies_per_program, std::uint64_t collection) {
  Victim& victim = victims_[group];
  victim.superblock = superblock;
  victim.from_member = 0;
  victim.next_unit = 0;
  for (const BlockNumber member : blocks_.superblocks().members_of(superblock))
    if (blocks_[member].state == BlockState::Closed) take(member);
  victim.from = blocks_.superblocks().member(superblock, 0);
  victim.end_unit = std::min(stripe_units_, blocks_.units_of(victim.from));
  victim.source = &source;
  victim.copies_per_program = static_cast<std::uint32_t>(copies_per_program);
  victim.collection = collection;
}

// All words and map entries of the member will be read, so those that a fill described by a rule are written to the
// tables now.
void Victims::take(BlockNumber block) {
  blocks_.collect(block);
  const FlashAddress address = blocks_.address(block, 0);
  context_.media.write_out(address.die, address.block);
  if (!map_.by_rule()) return;
  const NandMedia::BlockWords words = words_of(block);
  for (std::uint32_t unit = 0; unit < blocks_.units_of(block); ++unit)
    if (layout_.is_data(words[unit])) map_.enter(layout_.unit(words[unit]));
}

bool Victims::next_stripe(Victim& victim) const {
  if (emptied(victim)) return false;
  const Superblocks& all = blocks_.superblocks();
  do {
    if (victim.from_member + 1 == all.members() && victim.end_unit >= blocks_.units_of(victim.from))
      throw std::logic_error("a victim has fewer valid units than its count says");
    if (++victim.from_member == all.members()) {
      victim.from_member = 0;
      victim.end_unit += stripe_units_;
    }
    victim.from = all.member(victim.superblock, victim.from_member);
  } while (blocks_[victim.from].valid == 0);
  victim.next_unit = victim.end_unit - stripe_units_;
  return true;
}

// All members of a victim hold data of one stream.
std::uint32_t Victims::stream_of(std::uint32_t group) const {
  for (const BlockNumber member : blocks_.superblocks().members_of(victims_[group].superblock))
    if (blocks_[member].state == BlockState::Collecting) return blocks_[member].stream;
  return kNoStream;
}

bool Victims::all_closed(SuperblockNumber superblock) const {
  bool any = false;
  for (const BlockNumber member : blocks_.superblocks().members_of(superblock)) {
    const BlockState state = blocks_[member].state;
    if (state != BlockState::Closed && state != BlockState::Bad) return false;
    any = any || state == BlockState::Closed;
  }
  return any;
}

}  // namespace flashloom
