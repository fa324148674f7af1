// Page-mapping FTL: the whole L2P table in memory, log-structured writes striped by the placement policy, greedy (or
// other) foreground GC on each die. Source: A. Ban, Flash File System, US patent 5,404,485 (1995); the form here
// follows Agrawal et al., USENIX ATC 2008.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "controllers/ftl/block_table.hpp"
#include "controllers/ftl/collector.hpp"
#include "controllers/ftl/flash_reader.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob_scan.hpp"
#include "controllers/ftl/programmer.hpp"
#include "controllers/ftl/unit_map.hpp"
#include "controllers/ftl/write_frontier.hpp"
#include "controllers/runtime/fault.hpp"
#include "controllers/ssd/device_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

class PageMapFtl final : public Ftl {
 public:
  explicit PageMapFtl(const FtlContext& context)
      : context_(context),
        layout_(context.logical_units),
        map_(context.logical_units),
        blocks_(context.geometry, context.config.garbage_collection, context.seed),
        programmer_(context_, blocks_, layout_),
        collector_(context_, blocks_, programmer_, layout_, map_, statistics_),
        frontier_(context_, blocks_, programmer_, collector_, statistics_),
        reader_(context_, blocks_, programmer_, layout_) {
    for (BlockNumber block = 0; block < blocks_.size(); ++block) {
      const FlashAddress address = blocks_.address(block, 0);
      blocks_.add_erases(block, context.media.erase_count(address.die, address.block));
    }
  }

  Task<void> recover() override {
    OobScan scan(context_, blocks_, layout_, map_);
    const OobScan::Result found = co_await scan.run();
    newest_version_ = found.newest_version;
    programmer_.continue_after(found.newest_sequence);
    frontier_.adopt(found.unfinished);
    for (const BlockNumber block : found.to_erase) collector_.erase_later(block);
  }

  Task<void> write(WriteUnit& unit) override {
    const std::uint32_t stream = frontier_.stream_of(unit);
    if (frontier_.job(stream) == nullptr) co_await frontier_.open(stream, unit.unit);
    const PhysicalUnit old = map_.get(unit.unit);
    const PhysicalUnit place = programmer_.place_host(*frontier_.job(stream), unit, old);
    if (old != kNoPhysicalUnit) blocks_.invalidate(old, age() + 1);
    if (!fault(Fault::LostUnit)) map_.set(unit.unit, place);
    blocks_.validate(place);
    frontier_.placed(stream);
  }

  Task<void> seal() override {
    frontier_.seal();
    co_return;
  }

  std::uint64_t newest_version() const override { return newest_version_; }

  void prefetch(std::uint32_t unit) const override { map_.prefetch(unit); }

  Task<void> read(ReadRequest& request) override {
    const auto units = static_cast<std::uint32_t>(request.units.size());
    const Picoseconds looked_up = co_await context_.hardware.map_read(units);
    co_await context_.hardware.cpu(FirmwareStep::MapLookup, units, FirmwareStep::FlashIssue, pages_of(request),
                                   looked_up);
    request.breakdown->attribute(LatencyPart::Map, looked_up);
    request.breakdown->attribute(LatencyPart::Cpu, context_.hardware.now());
    // A unit that is on its way to flash but whose rest is still being read for it: wait for it, and look at all again,
    // since others may have set off meanwhile.
    for (std::size_t i = 0; i != request.units.size();) {
      if (!in_transit(request, request.units[i])) {
        ++i;
        continue;
      }
      const PhysicalUnit place = map_.get(request.units[i].unit);
      co_await blocks_.events(blocks_.die_of(blocks_.block_of(place))).durable.wait();
      i = 0;
    }
    request.breakdown->attribute(LatencyPart::Buffer, context_.hardware.now());
    FlashReader::Batch batch{.request = &request};
    for (ReadUnit& unit : request.units) {
      unit.sectors = request.front->serve(unit.unit, unit.sectors, unit.tokens, unit.first_sector);
      if (unit.sectors == 0) continue;
      const PhysicalUnit place = map_.get(unit.unit);
      if (place != kNoPhysicalUnit)
        reader_.add(batch, unit, place);
      else
        zero(unit);
    }
    if (batch.pages == 0) co_return;
    reader_.issue(batch);
    co_await FlashReader::all(batch);
  }

  Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t /*version*/) override {
    // The range is written as map bursts, 16 entries each.
    const Picoseconds written = co_await context_.hardware.map_write((count + 15) / 16);
    co_await context_.hardware.cpu(FirmwareStep::MapUpdate, (count + 15) / 16, written);
    for (std::uint32_t unit = first; unit < first + count; ++unit) {
      const PhysicalUnit place = map_.get(unit);
      if (place == kNoPhysicalUnit || fault(Fault::TrimIgnored)) continue;
      blocks_.invalidate(place, age());
      map_.clear(unit);
      ++statistics_.units_trimmed;
    }
  }

  Task<void> persist_trims() override { co_return; }

  void state(StateArchive& archive, FrontBuffer& front) override {
    archive.part("page_map");
    archive(map_, blocks_, statistics_, programmer_, newest_version_);
    collector_.state(archive, front);
    frontier_.state(archive, front);
  }
  std::uint32_t waiting_units() const override { return frontier_.streams() * context_.geometry.units_per_program(); }
  std::vector<std::string> stream_names() const override { return frontier_.stream_names(); }

  const FtlStatistics& statistics() const override { return statistics_; }

  std::uint32_t least_free_blocks() const override {
    std::uint32_t least = blocks_.blocks_per_die();
    for (std::uint32_t die = 0; die < context_.geometry.dies; ++die) least = std::min(least, blocks_.free_blocks(die));
    return least;
  }

  void check() const override {
    std::vector<std::uint32_t> valid(std::size_t{context_.geometry.dies} * blocks_.blocks_per_die());
    for (std::uint32_t unit = 0; unit < map_.size(); ++unit) {
      const PhysicalUnit place = map_.get(unit);
      if (place == kNoPhysicalUnit) continue;
      const BlockNumber block = blocks_.block_of(place);
      ++valid[block];
      const BlockInfo& info = blocks_[block];
      const std::uint32_t in_block = place - block * blocks_.units_per_block();
      // What waits for its program unit to fill is not on flash yet.
      const bool on_flash = info.pending == nullptr || blocks_.page_of(in_block) < info.durable;
      const OobWord word =
          on_flash ? context_.media.oob(blocks_.address(block, 0), in_block) : info.pending->oob[in_block];
      if (!layout_.is_data(word) || layout_.unit(word) != unit)
        throw std::logic_error("the map points unit " + std::to_string(unit) + " to a place that holds another");
    }
    for (BlockNumber block = 0; block < valid.size(); ++block)
      if (valid[block] != blocks_[block].valid)
        throw std::logic_error("valid count of block " + std::to_string(block) + " is " +
                               std::to_string(blocks_[block].valid) + ", a recount gives " +
                               std::to_string(valid[block]));
  }

 private:
  std::uint64_t age() const { return statistics_.units_written; }

  // Flash commands that the read will take, for the cores' work.
  std::uint32_t pages_of(const ReadRequest& request) const {
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

  bool in_transit(const ReadRequest& request, const ReadUnit& unit) const {
    const PhysicalUnit place = map_.get(unit.unit);
    if (place == kNoPhysicalUnit || !programmer_.in_transit(place)) return false;
    return request.front->missing(unit.unit, unit.sectors) != 0;
  }

  void zero(const ReadUnit& unit) const {
    for (std::uint32_t sector = unit.first_sector; unit.tokens != nullptr && sector < context_.sectors_per_unit;
         ++sector)
      if ((unit.sectors >> sector) & 1) unit.tokens[sector - unit.first_sector] = 0;
  }

  const FtlContext context_;
  OobLayout layout_;
  UnitMap map_;
  BlockTable blocks_;
  FtlStatistics statistics_;
  Programmer programmer_;
  Collector collector_;
  WriteFrontier frontier_;
  FlashReader reader_;
  std::uint64_t newest_version_ = 0;
};

const Registration<Ftl> registration{
    {.name = "page_map",
     .summary = "page mapping, whole map in memory",
     .source = "A. Ban, US patent 5,404,485, 1995; Agrawal et al., USENIX ATC 2008",
     .parameters = {}},
    [](const FtlContext& context, const ParameterValues&) { return std::make_unique<PageMapFtl>(context); }};

}  // namespace
}  // namespace flashloom
