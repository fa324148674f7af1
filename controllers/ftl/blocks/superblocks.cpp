#include "controllers/ftl/blocks/superblocks.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_media.hpp"
#include "policies/registry.hpp"

namespace flashloom {

// A superblock becomes a victim candidate once all its good members are closed.
class Superblocks::CollectionOfDie final : public GarbageCollectionPolicy {
 public:
  CollectionOfDie(Superblocks& owner, std::uint32_t die) : owner_(owner), first_(die * owner.blocks_per_die_) {}

  void closed(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) override {
    const SuperblockNumber superblock = owner_.of(first_ + block);
    Info& info = owner_.info_[superblock];
    info.valid += valid_units;
    if (!owner_.told_.empty()) owner_.told_[first_ + block] = valid_units;
    if (++info.closed != info.good) return;
    group(superblock).collection->closed(owner_.of_group(superblock), owner_.counted(info), age);
    group(superblock).leveling->closed(owner_.of_group(superblock));
  }
  void invalidated(std::uint32_t block, std::uint32_t valid_units, std::uint64_t age) override {
    const SuperblockNumber superblock = owner_.of(first_ + block);
    Info& info = owner_.info_[superblock];
    if (owner_.told_.empty())
      --info.valid;
    else
      info.valid -= std::exchange(owner_.told_[first_ + block], valid_units) - valid_units;
    if (info.closed == info.good)
      group(superblock).collection->invalidated(owner_.of_group(superblock), owner_.counted(info), age);
  }
  void removed(std::uint32_t block) override {
    const SuperblockNumber superblock = owner_.of(first_ + block);
    Info& info = owner_.info_[superblock];
    if (info.closed-- == info.good) {
      group(superblock).collection->removed(owner_.of_group(superblock));
      group(superblock).leveling->removed(owner_.of_group(superblock));
    }
    if (info.closed == 0) info.valid = 0;
  }
  std::uint32_t victim(std::uint64_t) override { throw std::logic_error("victims are chosen among superblocks"); }
  void state(StateArchive&) override {}  // the owner saves all state

 private:
  Group& group(SuperblockNumber superblock) { return owner_.groups_[owner_.group_of(superblock)]; }

  Superblocks& owner_;
  std::uint32_t first_;
};

// The erase count of a superblock is that of its most erased member, since members are erased together.
class Superblocks::LevelingOfDie final : public WearLevelingPolicy {
 public:
  LevelingOfDie(Superblocks& owner, std::uint32_t die) : owner_(owner), first_(die * owner.blocks_per_die_) {}

  std::uint32_t choose(const FreeBlocks&, FreeUse) const override {
    throw std::logic_error("superblocks are opened, and not single blocks");
  }
  void erased(std::uint32_t block) override {
    const SuperblockNumber superblock = owner_.of(first_ + block);
    Info& info = owner_.info_[superblock];
    if (owner_.erases_[first_ + block] <= info.erases) return;
    info.erases = owner_.erases_[first_ + block];
    owner_.groups_[owner_.group_of(superblock)].leveling->erased(owner_.of_group(superblock));
  }
  void state(StateArchive&) override {}  // the owner saves all state

 private:
  Superblocks& owner_;
  std::uint32_t first_;
};

Superblocks::Superblocks(const FtlContext& context, const std::vector<std::uint32_t>& erases)
    : planes_(collects_superblocks(context.config) ? context.geometry.planes_apart() : 1),
      dies_(collects_superblocks(context.config) ? superblock_dies(context.config, context.geometry) : 1),
      members_(dies_ * planes_),
      blocks_per_die_(context.geometry.blocks),
      per_group_(blocks_per_die_ / planes_),
      units_per_block_(context.geometry.whole_units_per_block()),
      rain_(context.config.rain),
      erases_(erases),
      info_(collects_superblocks(context.config) ? std::size_t{per_group_} * (context.geometry.dies / dies_) : 0),
      told_(context.geometry.sizes_vary() ? std::size_t{context.geometry.dies} * blocks_per_die_ : 0),
      good_(rain_ == 0 ? 0 : info_.size() * planes_, static_cast<std::uint8_t>(dies_)),
      groups_(context.geometry.dies / dies_) {
  if (of_one()) return;
  if (context.config.superblock_by == "speed") rank(context.media.block_times());
  for (SuperblockNumber superblock = 0; superblock < count(); ++superblock) {
    Info& info = info_[superblock];
    info.good = members_;
    for (std::uint32_t n = 0; n < members_; ++n) info.erases = std::max(info.erases, erases_[member(superblock, n)]);
  }
  for (std::uint32_t number = 0; number < groups(); ++number) {
    Group& group = groups_[number];
    group.first = info_.data() + std::size_t{number} * per_group_;
    group.free.set_capacity(per_group_);
    for (std::uint32_t i = 0; i < per_group_; ++i) group.free.push_back(number * per_group_ + i);
    group.collection = Family<GarbageCollectionPolicy>::make(context.config.garbage_collection,
                                                             {.blocks = per_group_,
                                                              .units_per_block = members_ * units_per_block_,
                                                              .seed = context.seed + number,
                                                              .wear = &group});
    group.leveling =
        Family<WearLevelingPolicy>::make(context.config.wear_leveling, {.blocks = per_group_, .wear = &group});
  }
}

// The test's table never changes, so a mount groups blocks as before.
void Superblocks::rank(const std::vector<Picoseconds>& times) {
  const std::uint32_t banks = groups() * members_;
  rank_.resize(std::size_t{banks} * per_group_);
  by_rank_.resize(rank_.size());
  for (std::uint32_t bank = 0; bank < banks; ++bank) {
    const std::size_t first = std::size_t{bank} * per_group_;
    const auto begin = by_rank_.begin() + static_cast<std::ptrdiff_t>(first);
    std::iota(begin, begin + per_group_, 0U);
    const auto time = [&](std::uint32_t at) {
      return times[bank / planes_ * blocks_per_die_ + at * planes_ + bank % planes_];
    };
    std::stable_sort(begin, begin + per_group_, [&](std::uint32_t a, std::uint32_t b) { return time(a) < time(b); });
    for (std::uint32_t i = 0; i < per_group_; ++i) rank_[first + by_rank_[first + i]] = i;
  }
}

SuperblockNumber Superblocks::next_free(std::uint32_t group, FreeUse use) const {
  struct Free final : FreeBlocks {
    Free(const Superblocks& all, const boost::circular_buffer<SuperblockNumber>& free) : owner(all), list(free) {}
    std::uint32_t size() const override { return static_cast<std::uint32_t>(list.size()); }
    std::uint32_t block(std::uint32_t index) const override { return owner.of_group(list[index]); }
    const Superblocks& owner;
    const boost::circular_buffer<SuperblockNumber>& list;
  };
  if (free(group).empty()) throw std::runtime_error("a group of dies has no free superblock left");
  return free(group)[groups_[group].leveling->choose(Free(*this, free(group)), use)];
}

void Superblocks::take(SuperblockNumber superblock) {
  auto& free = groups_[group_of(superblock)].free;
  free.erase(std::find(free.begin(), free.end(), superblock));
}

void Superblocks::give_back(SuperblockNumber superblock) {
  if (!of_one() && usable(superblock)) groups_[group_of(superblock)].free.push_back(superblock);
}

void Superblocks::lose_member(std::uint32_t block) {
  if (of_one()) return;
  const SuperblockNumber superblock = of(block);
  --info_[superblock].good;
  if (rain_ != 0) --good_[std::size_t{superblock} * planes_ + block % blocks_per_die_ % planes_];
  auto& free = groups_[group_of(superblock)].free;
  const auto found = std::find(free.begin(), free.end(), superblock);
  if (!usable(superblock) && found != free.end()) free.erase(found);
}

void Superblocks::keep_free(const std::vector<std::uint8_t>& free) {
  for (Group& group : groups_)
    group.free.erase(std::remove_if(group.free.begin(), group.free.end(),
                                    [&free](SuperblockNumber superblock) { return free[superblock] == 0; }),
                     group.free.end());
}

std::unique_ptr<GarbageCollectionPolicy> Superblocks::collection_of_die(std::uint32_t die) {
  return std::make_unique<CollectionOfDie>(*this, die);
}
std::unique_ptr<WearLevelingPolicy> Superblocks::leveling_of_die(std::uint32_t die) {
  return std::make_unique<LevelingOfDie>(*this, die);
}

void Superblocks::state(StateArchive& archive) {
  if (of_one()) return;
  archive(info_, good_);
  if (!told_.empty()) archive(told_);
  for (Group& group : groups_) {
    std::vector<SuperblockNumber> free(group.free.begin(), group.free.end());
    archive(free);
    if (archive.loading()) group.free.assign(group.free.capacity(), free.begin(), free.end());
    group.collection->state(archive);
    group.leveling->state(archive);
  }
}

}  // namespace flashloom
