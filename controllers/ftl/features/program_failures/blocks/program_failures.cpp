#include "controllers/ftl/features/program_failures/blocks/program_failures.hpp"

#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

ProgramFailures::ProgramFailures(const FtlContext& context, const BlockRecords& blocks)
    : blocks_(blocks),
      media_(context.media),
      program_pages_(context.geometry.program_pages),
      possible_(context.media.endurance().programs_fail()),
      rain_(context.config.rain != 0),
      dead_die_(find_dead_die()) {}

std::uint32_t ProgramFailures::find_dead_die() const {
  std::uint32_t found = kNoDie;
  for (std::uint32_t die = 0; die < blocks_.dies(); ++die)
    if (media_.dead(Die{die})) found = die;
  return found;
}

std::uint32_t ProgramFailures::next_failure(BlockNumber block, std::uint32_t page) const {
  const std::uint32_t end = blocks_.pages_of(block);
  if (!possible_) return end;
  while (page < end && !fails_at(block, page)) page += program_pages_;
  return page;
}

bool ProgramFailures::kills_die(BlockNumber block, std::uint32_t page) {
  if (!media_.dead(Die{blocks_.die_of(block)})) return false;
  media_.plant_failure(blocks_.address(block, page));
  if (any_dead()) return false;
  dead_die_ = find_dead_die();
  return true;
}

bool ProgramFailures::fails_erase(BlockNumber block) {
  const std::uint32_t die = blocks_.die_of(block);
  if (!dead(die)) [[likely]]
    return false;
  media_.plant_erase_failure(Die{die}, Block{blocks_.block_of_die(block)});
  return true;
}

}  // namespace flashloom
