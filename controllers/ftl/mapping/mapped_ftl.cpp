#include "controllers/ftl/mapping/mapped_ftl.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "controllers/ftl/features/compression/compressed_units.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/recovery/log_apart.hpp"
#include "controllers/runtime/fault.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

FtlContext with_sizes(FtlContext context, UnitSizes* sizes) {
  context.sizes = sizes;
  return context;
}

}  // namespace

MappedFtl::MappedFtl(const FtlContext& context)
    : sizes_(CompressedUnits::make(context)),
      context_(with_sizes(context, sizes_.get())),
      layout_(oob_layout(context_)),
      map_(context.logical_units,
           std::uint64_t{context.geometry.dies} * context.geometry.blocks * context.geometry.units_per_block()),
      blocks_(context_),
      programmer_(context_, blocks_, layout_, statistics_),
      reader_(context_, blocks_, programmer_, layout_) {
  const BlockEndurance& endurance = context_.media.endurance();
  const bool fails = endurance.limited() || endurance.has_factory_bad();
  if (const std::uint32_t apart = log_blocks_apart(context_.config, context_.geometry, context_.logical_units, fails);
      apart != 0)
    blocks_.free().keep_for_log(apart);
}

Task<void> MappedFtl::read(ReadRequest& request) {
  const std::uint32_t units = look_ups(request);
  const Picoseconds looked_up = co_await context_.hardware.map_read(units, request.units.front().unit);
  co_await context_.hardware.cpu(FirmwareStep::MapLookup, units, FirmwareStep::FlashIssue, pages_of(request), looked_up,
                                 request.units.front().unit);
  request.breakdown->attribute(LatencyPart::Map, looked_up);
  request.breakdown->attribute(LatencyPart::Cpu, context_.hardware.now());
  // Waits while a unit is in transit and its missing sectors are still being read; then checks all units again, since
  // others may have been handed over meanwhile. Also waits while the firmware serves no host commands.
  while (WaitList* const list = blocked(request)) co_await list->wait();
  request.breakdown->attribute(LatencyPart::Buffer, context_.hardware.now());
  FlashReader::Batch batch(&request);
  issue(batch);
  co_await FlashReader::all(batch);
}

void MappedFtl::issue(FlashReader::Batch& batch) {
  ReadRequest& request = *batch.request;
  const bool any_lost = context_.hardware.flash().ecc() != nullptr;
  auto place_of = places_.begin();
  for (ReadUnit& unit : request.units) {
    const PhysicalUnit place = *place_of++;
    unit.sectors = request.front->serve(unit.unit, unit.sectors, unit.tokens, unit.first_sector);
    if (unit.sectors == 0) continue;
    if (place == kNoPhysicalUnit) {
      zero(unit);
      unit.absent = true;
      if (request.to_host) ++statistics_.units_zeroed;
    } else if (any_lost && programmer_.reads().lost_in_transit(place)) [[unlikely]] {
      request.failed = true;
    } else {
      reader_.add(batch, unit, place);
    }
  }
  if (batch.pages != 0) reader_.issue(batch);
}

Task<void> MappedFtl::trim(std::uint32_t first, std::uint32_t count, std::uint64_t /*version*/) {
  // The map entries of the range are written in bursts of 16 entries.
  const Picoseconds written = co_await context_.hardware.map_write((count + 15) / 16, first);
  co_await context_.hardware.cpu(FirmwareStep::MapUpdate, (count + 15) / 16, written, first);
  for (std::uint32_t unit = first; unit < first + count; ++unit)
    if (!fault(Fault::TrimIgnored)) unmap(unit);
}

bool MappedFtl::unmap(std::uint32_t unit) {
  const PhysicalUnit place = map_.get(unit);
  if (place == kNoPhysicalUnit) return false;
  blocks_.invalidate(place, age());
  map_.clear(unit);
  ++statistics_.units_trimmed;
  return true;
}

std::uint32_t MappedFtl::least_free_blocks() const {
  std::uint32_t least = blocks_.blocks_per_die();
  for (std::uint32_t group = 0; group < blocks_.groups(); ++group)
    least = std::min(least, blocks_.free_of_group(group));
  return least;
}

void MappedFtl::check() const {
  std::vector<std::uint32_t> valid(std::size_t{context_.geometry.dies} * blocks_.blocks_per_die());
  std::vector<std::uint32_t> steps(sizes_ == nullptr ? 0 : valid.size());
  for (std::uint32_t unit = 0; unit < map_.size(); ++unit) {
    const PhysicalUnit place = map_.get(unit);
    if (place == kNoPhysicalUnit) continue;
    const BlockNumber block = blocks_.block_of(place);
    ++valid[block];
    // A unit that waits for its program unit to fill is not on flash yet.
    const OobWord word = blocks_.programs().word_at(place);
    if (sizes_ != nullptr) steps[block] += sizes_->size(word);
    if (!layout_.is_data(word) || layout_.unit(word) != unit)
      throw std::logic_error("the map points unit " + std::to_string(unit) + " to a place that holds another");
  }
  const auto compare = [](const char* what, BlockNumber block, std::uint64_t kept, std::uint64_t counted) {
    if (kept != counted)
      throw std::logic_error(std::string(what) + " of block " + std::to_string(block) + ": " + std::to_string(kept) +
                             ", a recount gives " + std::to_string(counted));
  };
  for (BlockNumber block = 0; block < valid.size(); ++block)
    compare("valid units", block, blocks_[block].valid, valid[block]);
  for (BlockNumber block = 0; block < steps.size(); ++block)
    compare("steps of valid data", block, sizes_->steps(block), steps[block]);
  if (blocks_.modes() != nullptr) blocks_.modes()->check();
}

std::uint32_t MappedFtl::pages_of(const ReadRequest& request) const {
  std::uint32_t pages = 0;
  PhysicalUnit last_page = kNoPhysicalUnit;
  for (const ReadUnit& unit : request.units) {
    const PhysicalUnit place = map_.get(unit.unit);
    if (place == kNoPhysicalUnit) continue;
    const PhysicalUnit page = blocks_.page_of(place);
    if (page != last_page) ++pages;
    last_page = page;
  }
  return pages;
}

// What to wait for before all units of the request can be read; null if nothing. Then places_ says where each one can be
// read until the caller suspends.
WaitList* MappedFtl::locate(const ReadRequest& request) {
  places_.clear();
  for (const ReadUnit& unit : request.units) {
    const PhysicalUnit place = map_.get(unit.unit);
    places_.push_back(place);
    if (place == kNoPhysicalUnit || blocks_.on_flash(place)) [[likely]]
      continue;
    const PhysicalUnit where = places_.back() = programmer_.reads().readable(place);
    if (!blocks_.on_flash(where) && !programmer_.reads().lost_in_transit(where) &&
        request.front->missing(unit.unit, unit.sectors) != 0)
      return &blocks_.waits().events(blocks_.die_of(blocks_.block_of(place))).durable;
  }
  return nullptr;
}

void MappedFtl::zero(const ReadUnit& unit) const {
  for (std::uint32_t sector = unit.first_sector; unit.tokens != nullptr && sector < context_.sectors_per_unit; ++sector)
    if ((unit.sectors >> sector) & 1) unit.tokens[sector - unit.first_sector] = 0;
}

}  // namespace flashloom
