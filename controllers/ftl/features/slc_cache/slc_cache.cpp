#include "controllers/ftl/features/slc_cache/slc_cache.hpp"

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

SlcCache::SlcCache(Collector& collector, VictimSources& sources)
    : VictimSource(collector, {.apart = true, .gains = false, .units_moved = &collector.statistics().slc.units_folded},
                   Begins::Always),
      slc_(context_, blocks_),
      host_(collector.open_blocks().host()),
      counts_(statistics_.slc),
      low_(context_.config.slc_low),
      idle_(context_.config.slc_idle),
      open_(std::size_t{host_.host_streams()} * blocks_.banks(), kNoBlockNumber) {
  host_.attach(*this);
  if (slc_.lends()) sources.add_for_space(std::make_unique<SlcGiveBack>(collector, slc_));
}

BlockNumber* SlcCache::next(std::uint32_t stream, std::uint32_t bank) {
  BlockNumber& block = open_[std::size_t{stream} * blocks_.banks() + bank];
  if (block != kNoBlockNumber) host_.fails_next(stream, block);  // then it is open no more
  return block != kNoBlockNumber || slc_.can_open(bank) ? &block : nullptr;
}

// On a worn-down device nothing is erased any more, but open blocks of the cache are still filled.
Task<bool> SlcCache::open(std::uint32_t stream, std::uint32_t bank) {
  while (BlockNumber* const block = next(stream, bank)) {
    if (*block != kNoBlockNumber) {
      host_.begin(stream, *block);
      co_return true;
    }
    if (blocks_.spare().worn_down()) break;
    *block = co_await open_block(stream, bank);
  }
  co_return false;
}

// A static block of the bank if possible, else a borrowed one.
Task<BlockNumber> SlcCache::open_block(std::uint32_t stream, std::uint32_t bank) {
  const BlockNumber block = slc_.next_free(bank);
  if (block == kNoBlockNumber) {
    const BlockNumber borrowed = co_await collector_.open_blocks().open_block(bank, stream);
    slc_.borrow(borrowed);
    counts_.borrowed_max.note(slc_.borrowed_of(blocks_.die_of(borrowed)));
    co_return borrowed;
  }
  co_await collector_.open_blocks().until_unused(block);
  blocks_.open_free(block);
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  co_return block;
}

// Like a scrub it gains no normal block, so garbage collection comes first when those are short. The pace copies all
// units while the host writes as much as an SLC block holds.
Task<bool> SlcCache::begin(std::uint32_t group) {
  if (blocks_.free_of_group(group) <= collector_.victims().low()) co_return false;
  const BlockNumber victim = slc_.oldest(group);
  if (BlockNumber* const place = collector_.place_apart(group, victim))
    *place =
        co_await collector_.open_blocks().open_block(blocks_.free().bank_of_most_room(group), blocks_[victim].stream);
  const std::uint64_t copies = std::uint64_t{blocks_[victim].valid} * context_.geometry.whole_units_per_program();
  const std::uint32_t units = blocks_.whole_units_of(victim);
  ++counts_.folds;
  collector_.begin(*this, group, victim, (copies + units - 1) / units + 1);
  co_return true;
}

// Checkpoints may have padded program units of the fold, so that the blocks opened for it are full.
bool SlcCache::may_copy_idle(std::uint32_t group) const {
  return collector_.open_blocks().copies()[group].cold[0] != kNoBlockNumber ||
         collector_.can_open_block(group, FreeUse::Data);
}

SlcGiveBack::SlcGiveBack(Collector& collector, const SlcBlocks& slc)
    : VictimSource(collector, {.units_moved = &collector.statistics().slc.units_folded}), slc_(slc) {}

Task<bool> SlcGiveBack::begin(std::uint32_t group) {
  ++statistics_.slc.folds;
  ++statistics_.slc.given_back;
  collector_.begin_for_space(*this, group, slc_.oldest_borrowed(group), context_.geometry.whole_units_per_block());
  co_return true;
}

}  // namespace flashloom
