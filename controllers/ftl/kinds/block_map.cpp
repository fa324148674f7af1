// Block-mapping FTL: each unit has one place, at its offset in the data block of its logical block. Overwrites go to a
// *replacement block*, which is filled in order: preceding units are copied first, the remaining ones when the
// replacement is finished and takes the data block's place. A die has a few replacement blocks at a time; one more
// finishes the least recently written one.
// Source: A. Ban, Flash file system optimized for page-mode flash technologies, US patent 5,937,425 (1999), NFTL's
// replacement blocks; here one in a chain, always in order, as in the firmware of simple memory cards and USB sticks.
//
// Merges are counted as for a log-block FTL: switch (nothing was copied), partial (units were only copied after the
// written ones), full (units were copied before them, too). On a die that programs pages in any order nothing needs to
// be copied before.
//
// `nvram_block` is the same for a write buffer that evicts whole logical blocks (docs/reference/write_buffer.md): units evicted
// together always go to a fresh block, which is merged at once with the rest of the data block. This is NF_smart_copy
// of Park et al., Utilization of non-volatile RAM write buffer for FTL (Hanyang University): one erase, and reads only
// for copies.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "controllers/ftl/mapping/block_ftl.hpp"
#include "policies/registry.hpp"

namespace flashloom::ftl::block_map {
namespace {

constexpr std::uint32_t kLeastReplacements = 1;  // of a die

class BlockMapFtl final : public BlockFtl {
 public:
  enum class Merge : std::uint8_t {
    Late,    ///< when another logical block needs the replacement block, or a unit does not fit into it
    AtOnce,  ///< when all units that left the buffer together are written
  };

  BlockMapFtl(const FtlContext& context, std::uint32_t replacements, std::uint32_t open_programs, Merge merge)
      : BlockFtl(context, open_programs, kLeastReplacements),
        merge_at_once_(merge == Merge::AtOnce),
        replacements_(logical_.count()),
        replaced_(context.geometry.dies) {
    for (std::uint32_t die = 0; die < context.geometry.dies; ++die)
      limits_.push_back(std::min(replacements, space_.room(die)));
  }

  Task<void> write(WriteUnit& unit) override {
    const LogicalBlock logical = logical_.block_of(unit.unit);
    const std::uint32_t offset = logical_.offset_of(unit.unit);
    if (has_duties(logical)) [[unlikely]]
      co_await do_duties(logical);
    while (!worn_down()) {
      Replacement& replacement = replacements_[logical];
      if (replacement.block == kNoBlockNumber) {
        BlockNumber data = logical_.data(logical);
        if (data == kNoBlockNumber && !merge_at_once_ && (offset == 0 || programs_.any_order())) {
          data = co_await merges_.open(logical);
          logical_.set_data(logical, data);
        }
        if (data != kNoBlockNumber && !merge_at_once_ && programs_.can_place(data, offset)) {
          programs_.place_host(data, offset, unit);
          co_return;
        }
        co_await take_replacement(logical);
        continue;
      }
      if (!programs_.any_order() && programs_.next_position(replacement.block) < offset) copy_up_to(logical, offset);
      if (programs_.can_place(replacement.block, offset)) {
        replacement.used = ++uses_;
        const bool all = merge_at_once_ && unit.last;
        programs_.place_host(replacement.block, offset, unit);
        if (all) co_await finish(logical);
        co_return;
      }
      co_await finish(logical);
    }
    co_await write_last(unit);
  }

 private:
  struct Replacement {
    BlockNumber block = kNoBlockNumber;
    std::uint32_t copied = 0;  ///< units copied before the written ones
    std::uint64_t used = 0;    ///< time of its last write
    void state(StateArchive& archive) { archive(block, copied, used); }
  };

  Task<void> take_replacement(LogicalBlock logical) {
    std::vector<LogicalBlock>& list = replaced_[logical_.die_of(logical)];
    co_await make_room(logical_.die_of(logical), limits_[logical_.die_of(logical)]);
    if (worn_down()) co_return;
    const BlockNumber block = co_await merges_.open(logical);
    replacements_[logical].block = block;
    list.push_back(logical);
  }

  std::uint32_t limit(std::uint32_t die) const { return std::min(limits_[die], extra_blocks(die)); }

  std::uint32_t used_blocks(std::uint32_t die) const override {
    return static_cast<std::uint32_t>(replaced_[die].size());
  }
  Task<void> give_up_one(std::uint32_t die) override {
    const std::vector<LogicalBlock>& list = replaced_[die];
    return finish(*std::min_element(list.begin(), list.end(), [this](LogicalBlock a, LogicalBlock b) {
      return replacements_[a].used < replacements_[b].used;
    }));
  }

  void copy_up_to(LogicalBlock logical, std::uint32_t offset) {
    Replacement& replacement = replacements_[logical];
    const std::uint64_t moved = statistics_.units_moved;
    programs_.copy_range(logical, replacement.block, programs_.next_position(replacement.block), offset);
    replacement.copied += static_cast<std::uint32_t>(statistics_.units_moved - moved);
  }

  Task<void> finish(LogicalBlock logical) {
    co_await before_release();
    std::vector<LogicalBlock>& list = replaced_[logical_.die_of(logical)];
    list.erase(std::find(list.begin(), list.end(), logical));
    const Replacement replacement = std::exchange(replacements_[logical], Replacement{});
    co_await merges_.merge(logical, replacement.block, replacement.copied != 0);
  }

  // Fills an evicted program unit with copies of the next units instead of padding.
  void complete(ProgramJob& job) override {
    const std::uint32_t units = context_.geometry.units_per_page;
    const std::uint32_t first = job.first_page * units;
    const OobWord word = logical_.word_of(job.block, first);
    if (job.filled == 0 || !layout_.is_data(word)) return;
    const LogicalBlock logical = logical_.block_of(layout_.unit(word));
    if (replacements_[logical].block != job.block || logical_.data(logical) == kNoBlockNumber) return;
    const std::uint32_t end = logical_.end_of_copy(logical);
    const std::uint64_t moved = statistics_.units_moved;
    programs_.copy_range(logical, job.block, first + job.filled,
                         std::min(end, first + context_.geometry.units_per_program()));
    replacements_[logical].copied += static_cast<std::uint32_t>(statistics_.units_moved - moved);
  }

  // No merge is needed if the units fit into the data block or come after the content of the replacement block, or if a
  // replacement block is free. (Preceding units must be copied sooner or later anyway.)
  bool merges_for(LogicalBlock logical, std::uint32_t offset, std::uint32_t count) const override {
    if (merge_at_once_) return logical_.data(logical) != kNoBlockNumber;
    const BlockNumber replacement = replacements_[logical].block;
    if (replacement != kNoBlockNumber)
      return programs_.any_order() ? !programs_.can_place(replacement, offset, count)
                                   : programs_.next_position(replacement) > offset;
    const BlockNumber data = logical_.data(logical);
    if (data == kNoBlockNumber && (offset == 0 || programs_.any_order())) return false;
    if (data != kNoBlockNumber && programs_.can_place(data, offset, count)) return false;
    return replaced_[logical_.die_of(logical)].size() >= limit(logical_.die_of(logical));
  }

  bool being_rewritten(LogicalBlock logical) const override { return replacements_[logical].block != kNoBlockNumber; }

  bool may_hold(BlockNumber block, LogicalBlock logical) const override {
    return replacements_[logical].block == block;
  }

  // Finishes replacements in progress at once, those first that need no free block.
  Task<void> adopt(const std::vector<Leftover>& found) override {
    for (const bool with_free_block : {false, true})
      for (const Leftover& leftover : found) {
        if (leftover.logical == kNoLogicalBlock)
          throw std::logic_error("block " + std::to_string(leftover.block) + " has units out of their places");
        if (blocks_[leftover.block].given_up() || leftover.block == logical_.data(leftover.logical)) continue;
        if (!with_free_block && !merges_.can_become_data(leftover.logical, leftover.block)) continue;
        if (worn_down()) co_return;
        replacements_[leftover.logical].block = leftover.block;
        replaced_[logical_.die_of(leftover.logical)].push_back(leftover.logical);
        co_await finish(leftover.logical);
      }
  }

  void own_state(StateArchive& archive) override {
    archive.part("replacement blocks");
    archive(replacements_, replaced_, uses_);
  }

  bool merge_at_once_;
  std::vector<std::uint32_t> limits_;                // replacement blocks, by die
  std::vector<Replacement> replacements_;            // by logical block
  std::vector<std::vector<LogicalBlock>> replaced_;  // logical blocks that have one, by die
  std::uint64_t uses_ = 0;
};

void check(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units, bool wears) {
  BlockSpace(geometry, logical_units, wears, recovery_of(config).checkpoints)
      .check(config, 0, kLeastReplacements, "replacement_blocks", "replacement blocks");
}

std::uint64_t map_bytes(const FtlConfig&, const NandGeometry& geometry, std::uint64_t logical_units) {
  return BlockSpace(geometry, logical_units).map_bytes(1);
}

const FtlRules rules("block_map", {.check = &check, .map_bytes = &map_bytes});
std::uint64_t nvram_words(const FtlConfig& config, const NandGeometry& geometry) {
  return recovery_of(config).in_nvram ? NvramBlockMap::words(geometry) : 0;
}

const FtlRules nvram_rules("nvram_block", {.check = &check, .map_bytes = &map_bytes, .nvram_words = &nvram_words});
const RecoveryMethods methods("block_map", {"checkpoint", "journal"});
const RecoveryMethods nvram_methods("nvram_block", {"nvram_map", "checkpoint", "journal"});

std::vector<ParameterSpec> parameters() {
  return {{.name = "replacement_blocks",
           .default_value = std::int64_t{1},
           .minimum = 1,
           .maximum = 65536,
           .choices = {},
           .help = "blocks of a die being replaced at once, if over-provisioning leaves so many"},
          open_programs_parameter()};
}

template <BlockMapFtl::Merge kMerge>
std::unique_ptr<Ftl> make(const FtlContext& context, const ParameterValues& values) {
  return std::make_unique<BlockMapFtl>(context, count_of(values, "replacement_blocks"),
                                       count_of(values, "open_programs"), kMerge);
}

const Registration<Ftl> registration{{.name = "block_map",
                                      .summary = "block mapping, with a few replacement blocks",
                                      .source = "A. Ban, US patent 5,937,425, 1999 (NFTL)",
                                      .parameters = parameters()},
                                     &make<BlockMapFtl::Merge::Late>};
const Registration<Ftl> nvram_registration{
    {.name = "nvram_block",
     .summary = "block mapping under a write buffer that evicts blocks, each merged at once",
     .source = "Park et al., NVRAM write buffers for an FTL: NF_smart_copy (docs/reference/write_buffer.md)",
     .parameters = parameters()},
    &make<BlockMapFtl::Merge::AtOnce>};

}  // namespace
}  // namespace flashloom::ftl::block_map
