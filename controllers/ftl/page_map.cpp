// Page-mapping FTL: the whole L2P table in memory, log-structured writes striped by the placement policy, greedy (or
// other) foreground GC on each die. Source: A. Ban, Flash File System, US patent 5,404,485 (1995); the form here
// follows Agrawal et al., USENIX ATC 2008.
#include "controllers/ftl/page_map.hpp"

#include "controllers/ftl/oob_scan.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

PageMapFtl::PageMapFtl(const FtlContext& context, bool map_stream)
    : MappedFtl(context),
      collector_(context_, blocks_, programmer_, layout_, map_, statistics_),
      frontier_(context_, blocks_, programmer_, collector_, statistics_, map_stream) {}

Task<void> PageMapFtl::recover() {
  OobScan scan(context_, blocks_, layout_, map_);
  const OobScan::Result found = co_await scan.run();
  newest_version_ = found.newest_version;
  programmer_.continue_after(found.newest_sequence);
  frontier_.adopt(found.unfinished);
  for (const BlockNumber block : found.to_erase) collector_.erase_later(block);
  read_only_ = blocks_.worn_down();
}

Task<void> PageMapFtl::write(WriteUnit& unit) {
  const std::uint32_t stream = frontier_.stream_of(unit);
  if (frontier_.job(stream) == nullptr) {
    opening_ = true;
    co_await frontier_.open(stream, unit.unit);
    opening_ = false;
    opened_.wake_all();
    read_only_ = blocks_.worn_down();
  }
  const PhysicalUnit old = map_.get(unit.unit);
  const PhysicalUnit place = programmer_.place_host(*frontier_.job(stream), unit, old);
  if (old != kNoPhysicalUnit) blocks_.invalidate(old, age() + 1);
  if (!fault(Fault::LostUnit)) map_.set(unit.unit, place);
  blocks_.validate(place);
  frontier_.placed(stream);
}

Task<bool> PageMapFtl::idle() {
  while (opening_) co_await opened_.wait();
  const bool any = co_await collector_.idle(age());
  read_only_ = blocks_.worn_down();
  co_return any;
}

Task<void> PageMapFtl::seal() {
  frontier_.seal();
  co_return;
}

void PageMapFtl::state(StateArchive& archive, FrontBuffer& front) {
  archive.part("page_map");
  archive(map_, blocks_, statistics_, programmer_, newest_version_, read_only_);
  collector_.state(archive, front);
  frontier_.state(archive, front);
}

namespace {

const Registration<Ftl> registration{
    {.name = "page_map",
     .summary = "page mapping, whole map in memory",
     .source = "A. Ban, US patent 5,404,485, 1995; Agrawal et al., USENIX ATC 2008",
     .parameters = {}},
    [](const FtlContext& context, const ParameterValues&) { return std::make_unique<PageMapFtl>(context); }};

}  // namespace
}  // namespace flashloom
