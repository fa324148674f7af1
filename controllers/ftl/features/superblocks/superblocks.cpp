#include "controllers/ftl/features/superblocks/superblocks.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_media.hpp"
#include "policies/registry.hpp"

namespace flashloom {
namespace {

// The test's table never changes, so a mount groups blocks as before.
void rank_by_speed(const NandGeometry& geometry, const std::vector<Picoseconds>& times, BlockGroups& groups) {
  const std::uint32_t planes = geometry.planes_apart();
  const std::uint32_t of_bank = geometry.blocks / planes;
  groups.rank.resize(std::size_t{geometry.dies} * planes * of_bank);
  groups.by_rank.resize(groups.rank.size());
  for (std::uint32_t bank = 0; bank < geometry.dies * planes; ++bank) {
    const std::size_t first = std::size_t{bank} * of_bank;
    const auto begin = groups.by_rank.begin() + static_cast<std::ptrdiff_t>(first);
    std::iota(begin, begin + of_bank, 0U);
    const auto time = [&](std::uint32_t at) {
      return times[bank / planes * geometry.blocks + at * planes + bank % planes];
    };
    std::stable_sort(begin, begin + of_bank, [&](std::uint32_t a, std::uint32_t b) { return time(a) < time(b); });
    for (std::uint32_t i = 0; i < of_bank; ++i) groups.rank[first + groups.by_rank[first + i]] = i;
  }
}

}  // namespace

BlockGroups make_block_groups(const FtlContext& context) {
  BlockGroups groups;
  if (!collects_superblocks(context.config)) return groups;
  groups.dies = superblock_dies(context.config, context.geometry);
  if (context.config.superblock_by == "speed") rank_by_speed(context.geometry, context.media.block_times(), groups);
  return groups;
}

std::unique_ptr<GcUnitPool> make_gc_unit_pool(const FtlContext& context, const BlockRecords& blocks) {
  return blocks.one_by_one() ? nullptr : std::make_unique<Superblocks>(context, blocks);
}

Superblocks::Superblocks(const FtlContext& context, const BlockRecords& blocks)
    : blocks_(blocks),
      planes_(blocks.banks_per_die()),
      units_per_block_(context.geometry.whole_units_per_block()),
      rain_(context.config.rain),
      info_(blocks.gc_unit_count()),
      told_(context.geometry.sizes_vary() ? blocks.size() : 0),
      good_(rain_ == 0 ? 0 : info_.size() * planes_, static_cast<std::uint8_t>(blocks.dies_of_group())),
      wear_(blocks.groups()) {
  for (GcUnit superblock = 0; superblock < info_.size(); ++superblock) {
    Info& info = info_[superblock];
    info.good = blocks.members();
    for (const BlockNumber member : blocks.members_of(superblock))
      info.erases = std::max(info.erases, blocks.block_erases(member));
  }
  const std::uint32_t per_group = blocks.gc_units_of_group();
  for (std::uint32_t number = 0; number < wear_.size(); ++number) {
    wear_[number].first = info_.data() + std::size_t{number} * per_group;
    FreeList& free = free_.emplace_back(per_group);
    for (std::uint32_t i = 0; i < per_group; ++i) free.push_back(number * per_group + i);
    policies_.push_back({Family<GarbageCollectionPolicy>::make(context.config.garbage_collection,
                                                               {.blocks = per_group,
                                                                .units_per_block = blocks.members() * units_per_block_,
                                                                .seed = context.seed + number,
                                                                .wear = &wear_[number]}),
                         Family<WearLevelingPolicy>::make(context.config.wear_leveling,
                                                          {.blocks = per_group, .wear = &wear_[number]})});
  }
}

GcUnit Superblocks::next_free(std::uint32_t group, FreeUse use) const {
  struct Free final : FreeBlocks {
    Free(const Superblocks& all, const FreeList& free) : owner(all), list(free) {}
    std::uint32_t size() const override { return static_cast<std::uint32_t>(list.size()); }
    std::uint32_t block(std::uint32_t index) const override { return owner.of_group(list[index]); }
    const Superblocks& owner;
    const FreeList& list;
  };
  const FreeList& free = free_[group];
  if (free.empty()) throw std::runtime_error("a group of dies has no free superblock left");
  return free[policies_[group].leveling->choose(Free(*this, free), use)];
}

void Superblocks::lose_member(BlockNumber block) {
  const GcUnit superblock = blocks_.gc_unit_of(block);
  --info_[superblock].good;
  if (rain_ != 0) --good_[std::size_t{superblock} * planes_ + blocks_.bank_of(block) % planes_];
  FreeList& free = free_of(superblock);
  const auto found = std::find(free.begin(), free.end(), superblock);
  if (!usable(superblock) && found != free.end()) free.erase(found);
}

void Superblocks::keep_free(const std::vector<std::uint8_t>& free) {
  for (FreeList& list : free_)
    list.erase(std::remove_if(list.begin(), list.end(), [&free](GcUnit superblock) { return free[superblock] == 0; }),
               list.end());
}

// A superblock becomes a victim candidate once all its good members are closed.
void Superblocks::closed(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) {
  const GcUnit superblock = blocks_.gc_unit_of(block);
  Info& info = info_[superblock];
  info.valid += valid_units;
  if (!told_.empty()) told_[block] = valid_units;
  if (++info.closed != info.good) return;
  policies_of(superblock).collection->closed(of_group(superblock), counted(info), age);
  policies_of(superblock).leveling->closed(of_group(superblock));
}

void Superblocks::invalidated(BlockNumber block, std::uint32_t valid_units, std::uint64_t age) {
  const GcUnit superblock = blocks_.gc_unit_of(block);
  Info& info = info_[superblock];
  info.valid -= told_.empty() ? 1 : std::exchange(told_[block], valid_units) - valid_units;
  if (info.closed == info.good)
    policies_of(superblock).collection->invalidated(of_group(superblock), counted(info), age);
}

void Superblocks::removed(BlockNumber block) {
  const GcUnit superblock = blocks_.gc_unit_of(block);
  Info& info = info_[superblock];
  if (info.closed-- == info.good) {
    policies_of(superblock).collection->removed(of_group(superblock));
    policies_of(superblock).leveling->removed(of_group(superblock));
  }
  if (info.closed == 0) info.valid = 0;
}

// The erase count of a superblock is that of its most erased member, since members are erased together.
void Superblocks::erased(BlockNumber block) {
  const GcUnit superblock = blocks_.gc_unit_of(block);
  if (blocks_.block_erases(block) <= info_[superblock].erases) return;
  info_[superblock].erases = blocks_.block_erases(block);
  policies_of(superblock).leveling->erased(of_group(superblock));
}

void Superblocks::state(StateArchive& archive) {
  archive(info_, good_);
  if (!told_.empty()) archive(told_);
  for (std::uint32_t group = 0; group < policies_.size(); ++group) {
    list_state(archive, free_[group]);
    policies_[group].collection->state(archive);
    policies_[group].leveling->state(archive);
  }
}

}  // namespace flashloom
