// Log-block FTL, BAST (block-associative sector translation): data blocks are mapped by block and written in place
// where they are still free; overwrites go to a log block, which is mapped by unit and belongs to one data block. A log
// block is merged with its data block when it is full, or when another data block needs one (victim: the least recently
// written log block):
//  * switch: it is full, written in order: it becomes the data block;
//  * partial: it was written in order so far: the rest is appended by copying, then the switch;
//  * full: all valid units are copied to a fresh block, and both blocks are erased.
// Source: J. Kim, J. M. Kim, S. H. Noh, S. L. Min, Y. Cho, A space-efficient flash translation layer for CompactFlash
// systems, IEEE Trans. Consumer Electronics 48(2), 2002.
//
// Choices. Each die is a separate log-block FTL for the logical blocks striped to it, with its share of the log blocks.
// Merges happen only when necessary. If pages must be programmed in order, a data block takes only the unit at its next
// position; otherwise it takes any free one, as in the paper's small-block parts. A logical block first written
// elsewhere than at its first unit gets a log block before a data block.
#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/mapping/block_ftl.hpp"
#include "controllers/hardware/flash_batch.hpp"
#include "controllers/hardware/hardware.hpp"
#include "policies/registry.hpp"

namespace flashloom::ftl::log_block {
namespace {

constexpr std::uint32_t kLeastLogBlocks = 1;  // of a die

class LogBlockFtl final : public BlockFtl {
 public:
  LogBlockFtl(const FtlContext& context, std::uint32_t log_blocks, std::uint32_t open_programs, bool probe)
      : BlockFtl(context, open_programs, kLeastLogBlocks),
        probe_(probe),
        oob_(context.geometry.units_per_page),
        logs_(logical_.count()),
        logged_(context.geometry.dies) {
    for (std::uint32_t die = 0; die < context.geometry.dies; ++die) limits_.push_back(space_.share(log_blocks, die));
  }

  Task<void> write(WriteUnit& unit) override {
    const LogicalBlock logical = logical_.block_of(unit.unit);
    const std::uint32_t offset = logical_.offset_of(unit.unit);
    if (has_duties(logical)) [[unlikely]]
      co_await do_duties(logical);
    if (probe_) co_await probe(logical, offset);
    while (!worn_down()) {
      Log& log = logs_[logical];
      if (!logical_.lies_in(map_.get(unit.unit), log.block)) {
        BlockNumber data = logical_.data(logical);
        if (data == kNoBlockNumber && log.block == kNoBlockNumber && (offset == 0 || programs_.any_order())) {
          data = co_await merges_.open(logical);
          logical_.set_data(logical, data);
        }
        if (data != kNoBlockNumber && programs_.can_place(data, offset)) {
          programs_.place_host(data, offset, unit);
          co_return;
        }
      }
      if (log.block == kNoBlockNumber) {
        co_await take_log(logical);
        continue;
      }
      if (programs_.takes_next(log.block)) {
        log.used = ++uses_;
        programs_.place_host(log.block, programs_.next_position(log.block), unit);
        co_return;
      }
      co_await merge(logical);
    }
    co_await write_last(unit);
  }

 private:
  struct Log {
    BlockNumber block = kNoBlockNumber;
    std::uint64_t used = 0;  ///< time of its last write
    void state(StateArchive& archive) { archive(block, used); }
  };

  // The log-block scheme that the paper's authors compare with reads the spare area of the data block's page to see
  // whether it is used. For data in flight firmware knows this without reading.
  Task<void> probe(LogicalBlock logical, std::uint32_t offset) {
    const BlockNumber data = logical_.data(logical);
    if (data == kNoBlockNumber ||
        (blocks_[data].pending != nullptr && logical_.word_of(data, offset) != 0 && being_filled(data)))
      co_return;
    const std::uint32_t page = blocks_.page_of(offset);
    const bool given_out = blocks_[data].pending == nullptr || logical_.word_of(data, offset) != 0;
    const PhysicalUnit place = data * blocks_.units_per_block() + offset;
    while (WaitList* const list = given_out ? blocks_.programs().before_on_flash(place) : nullptr)
      co_await list->wait();
    Hardware& hardware = context_.hardware;
    hardware.charge(FirmwareStep::FlashIssue, 1, logical_.die_of(logical));
    OnfiCommand read;
    read.operation = FlashOperation::Read;
    read.origin = Origin::Map;
    read.address = blocks_.address(data, page);
    read.units = static_cast<std::uint16_t>(oob_.size());
    read.bytes = static_cast<std::uint32_t>(oob_.size() * sizeof(OobWord));
    read.spare_only = true;
    read.oob = oob_.data();
    co_await hardware.flash().place(read);
    co_await FlashBatch(hardware.flash(), read);
    hardware.charge(FirmwareStep::FlashComplete, 1, logical_.die_of(logical));
  }

  Task<void> take_log(LogicalBlock logical) {
    const std::uint32_t die = logical_.die_of(logical);
    co_await make_room(die, limits_[die]);
    if (worn_down()) co_return;
    const BlockNumber block = co_await merges_.open(logical);
    logs_[logical].block = block;
    logged_[die].push_back(logical);
  }

  std::uint32_t limit(std::uint32_t die) const { return std::min(limits_[die], extra_blocks(die)); }

  std::uint32_t used_blocks(std::uint32_t die) const override {
    return static_cast<std::uint32_t>(logged_[die].size());
  }
  Task<void> give_up_one(std::uint32_t die) override { return merge(longest_unwritten(die)); }

  LogicalBlock longest_unwritten(std::uint32_t die) const {
    return *std::min_element(logged_[die].begin(), logged_[die].end(),
                             [this](LogicalBlock a, LogicalBlock b) { return logs_[a].used < logs_[b].used; });
  }

  Task<void> merge(LogicalBlock logical) {
    co_await before_release();
    std::vector<LogicalBlock>& list = logged_[logical_.die_of(logical)];
    list.erase(std::find(list.begin(), list.end(), logical));
    co_await merges_.merge(logical, std::exchange(logs_[logical], Log{}).block);
  }

  // No merge is needed if the units fit into the data block or the rest of the log block, or a log block is free for
  // them.
  bool merges_for(LogicalBlock logical, std::uint32_t offset, std::uint32_t count) const override {
    const BlockNumber log = logs_[logical].block;
    const BlockNumber data = logical_.data(logical);
    bool logged = false;
    for (std::uint32_t i = 0; i < count; ++i) logged |= logical_.lies_in(logical_.place_of(logical, offset + i), log);
    if (data == kNoBlockNumber && log == kNoBlockNumber && (offset == 0 || programs_.any_order())) return false;
    if (!logged && data != kNoBlockNumber && programs_.can_place(data, offset, count)) return false;
    if (log != kNoBlockNumber) return programs_.next_position(log) + count > logical_.units();
    return logged_[logical_.die_of(logical)].size() >= limit(logical_.die_of(logical));
  }

  bool being_rewritten(LogicalBlock logical) const override { return logs_[logical].block != kNoBlockNumber; }

  bool may_hold(BlockNumber block, LogicalBlock logical) const override { return logs_[logical].block == block; }

  Task<void> adopt(const std::vector<Leftover>& found) override {
    std::vector<std::vector<BlockNumber>> more(logical_.count());  // beside data and log block: of an unfinished merge
    for (const Leftover& leftover : found) {
      const LogicalBlock logical = owner(leftover);
      Log& log = logs_[logical];
      if (log.block != kNoBlockNumber) {
        more[logical].push_back(leftover.block);
        continue;
      }
      log = {.block = leftover.block, .used = ++uses_};
      logged_[logical_.die_of(logical)].push_back(logical);
    }
    // Merges that need no free block go first: they may free one.
    for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
      while (!worn_down() && short_of_blocks(die)) {
        const auto& list = logged_[die];
        if (list.empty()) throw std::runtime_error("a die has no block left to go on after the power cut");
        const auto cheap = std::find_if(list.begin(), list.end(), [&](LogicalBlock l) {
          return more[l].empty() && merges_.can_become_data(l, logs_[l].block);
        });
        if (cheap == list.end()) break;
        co_await merge(*cheap);
      }
    for (LogicalBlock logical = 0; logical < logical_.count(); ++logical) {
      if (more[logical].empty()) continue;
      if (worn_down()) co_return;
      std::vector<LogicalBlock>& list = logged_[logical_.die_of(logical)];
      list.erase(std::find(list.begin(), list.end(), logical));
      more[logical].push_back(std::exchange(logs_[logical], Log{}).block);
      if (logical_.data(logical) != kNoBlockNumber) more[logical].push_back(logical_.data(logical));
      co_await merges_.merge_all(logical, more[logical]);
    }
    for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
      while (!worn_down() && short_of_blocks(die)) co_await merge(longest_unwritten(die));
  }

  bool short_of_blocks(std::uint32_t die) const {
    return logged_[die].size() > limit(die) || (blocks_.free().of_die(die) < space_.reserve() && !logged_[die].empty());
  }
  // All data in a log block are of one logical block.
  LogicalBlock owner(const Leftover& leftover) const {
    for (std::uint32_t position = 0; leftover.logical == kNoLogicalBlock && position < logical_.units(); ++position) {
      const OobWord word = logical_.word_of(leftover.block, position);
      if (layout_.is_data(word)) return logical_.block_of(layout_.unit(word));
    }
    return leftover.logical;
  }
  bool being_filled(BlockNumber block) const {
    return blocks_[block].allocated * context_.geometry.units_per_page != programs_.next_position(block);
  }

  void own_state(StateArchive& archive) override {
    archive.part("log blocks");
    archive(logs_, logged_, uses_);
  }

  bool probe_;
  std::vector<OobWord> oob_;                       // for probe()
  std::vector<std::uint32_t> limits_;              // log blocks, by die
  std::vector<Log> logs_;                          // by logical block
  std::vector<std::vector<LogicalBlock>> logged_;  // logical blocks with a log block, by die
  std::uint64_t uses_ = 0;
};

const RecoveryMethods methods("log_block", {"checkpoint", "journal"});
const FtlRules rules("log_block", log_blocks_shape<kLeastLogBlocks>());

const Registration<Ftl> registration{
    {.name = "log_block",
     .summary = "block mapping with log blocks, each bound to a data block (BAST)",
     .source = "Kim, Kim, Noh, Min, Cho, A space-efficient FTL for CompactFlash systems, IEEE TCE 48(2), 2002",
     .parameters =
         {log_blocks_parameter(),
          open_programs_parameter(),
          {.name = "probe",
           .default_value = false,
           .choices = {},
           .help = "read the data block's page before each write to see whether it is used, as the 2002 scheme"}}},
    [](const FtlContext& context, const ParameterValues& values) {
      return std::make_unique<LogBlockFtl>(context, count_of(values, "log_blocks"), count_of(values, "open_programs"),
                                           values.get<bool>("probe"));
    }};

}  // namespace
}  // namespace flashloom::ftl::log_block
