#include "controllers/ftl/oob_scan.hpp"

#include <algorithm>

#include "controllers/runtime/fault.hpp"
#include "controllers/runtime/flash_batch.hpp"
#include "controllers/runtime/hardware.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

OobScan::OobScan(const FtlContext& context, BlockTable& blocks, const OobLayout& layout, UnitMap& map)
    : context_(context),
      blocks_(blocks),
      layout_(layout),
      map_(map),
      versions_(map.size()),
      found_(std::size_t{context.geometry.dies} * context.geometry.blocks),
      dies_left_(context.geometry.dies) {}

Task<OobScan::Result> OobScan::run() {
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
    Runtime::current().spawn([this, die] { return scan_die(die); });
  while (dies_left_ != 0) co_await done_.wait();

  std::vector<std::uint32_t> valid(found_.size());
  for (std::uint32_t unit = 0; unit < map_.size(); ++unit)
    if (const PhysicalUnit place = map_.get(unit); place != kNoPhysicalUnit) ++valid[blocks_.block_of(place)];
  for (BlockNumber block = 0; block < found_.size(); ++block) {
    const BlockFound& found = found_[block];
    if (found.pages == 0 && !found.torn_erase) continue;
    const std::uint32_t die = blocks_.die_of(block);
    if (found.torn_erase || valid[block] == 0) {  // a victim whose erase had not begun, too
      blocks_.restore_unerased(block);
      result_.to_erase.push_back(block);
    } else if (found.pages < context_.geometry.pages) {
      blocks_.restore_open(block, found.pages, valid[block]);
      std::vector<OobWord>& table = blocks_[block].pending->oob;
      for (std::uint32_t unit = 0; unit < found.pages * context_.geometry.units_per_page; ++unit)
        table[unit] = context_.media.oob(blocks_.address(block, 0), unit);  // as just read
      result_.unfinished.push_back({die, block, context_.geometry.pages - found.pages});
    } else {
      blocks_.restore_closed(block, valid[block]);
    }
  }
  co_return std::move(result_);
}

Task<void> OobScan::scan_die(std::uint32_t die) {
  const std::uint32_t units = context_.geometry.units_per_page;
  std::vector<OobWord> oob(units);
  OnfiCommand command;
  command.operation = FlashOperation::Read;
  command.origin = Origin::Recovery;
  command.units = static_cast<std::uint16_t>(units);
  command.bytes = static_cast<std::uint32_t>(units * sizeof(OobWord));
  command.oob = oob.data();
  for (std::uint32_t index = 0; index < context_.geometry.blocks; ++index) {
    const BlockNumber block = die * context_.geometry.blocks + index;
    BlockFound& found = found_[block];
    for (std::uint32_t page = 0; page < context_.geometry.pages; ++page) {
      command.address = blocks_.address(block, page);
      command.status = FlashStatus::Good;
      FlashBatch batch;
      co_await context_.hardware.flash().place(command);
      batch.submit(context_.hardware.flash(), command);
      co_await batch;
      if (command.status == FlashStatus::Erased) break;
      found.pages = page + 1;
      if (command.status == FlashStatus::Torn) {
        found.torn_erase = found.torn_erase || page == 0;
        continue;
      }
      found.sequence = command.sequence;
      result_.newest_sequence = std::max(result_.newest_sequence, command.sequence);
      const PhysicalUnit first = block * blocks_.units_per_block() + page * units;
      for (std::uint32_t unit = 0; unit < units; ++unit)
        if (layout_.is_data(oob[unit])) take(first + unit, oob[unit]);
    }
  }
  if (--dies_left_ == 0) done_.wake_all();
}

void OobScan::take(PhysicalUnit place, OobWord word) {
  const std::uint32_t unit = layout_.unit(word);
  const std::uint64_t version = layout_.version(word);
  result_.newest_version = std::max(result_.newest_version, version);
  const PhysicalUnit other = map_.get(unit);
  if (other != kNoPhysicalUnit) {
    if (fault(Fault::OlderVersion) ? version > versions_[unit] : version < versions_[unit]) return;
    if (version == versions_[unit] &&
        found_[blocks_.block_of(place)].sequence < found_[blocks_.block_of(other)].sequence)
      return;
  }
  versions_[unit] = version;
  map_.set(unit, place);
}

}  // namespace flashloom
