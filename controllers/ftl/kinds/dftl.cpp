// DFTL: page mapping with a demand-paged map. Firmware caches map entries (CMT); the map itself lies in translation
// pages on flash, whose places firmware knows (GTD). A cache miss costs a flash read; evicting a dirty entry costs an
// update of its translation page: a read and a program. That update includes all cached entries of the page (batch
// update), and likewise the entries of all units of a victim that GC has moved.
// Source: A. Gupta, Y. Kim, B. Urgaonkar, DFTL: a flash translation layer employing demand-based selective caching of
// page-level address mappings, ASPLOS 2009.
//
// Choices. A translation page is a mapping unit of 4-byte entries (8 bytes with compression), so several share a flash
// page if mapping units do. Translation pages are a separate stream, which GC keeps apart. The simulator's UnitMap
// holds the true map; the cache only determines the firmware's cost. A translation page that waits for its program unit
// to fill is in memory: it is read and changed there. The entries of one translation page that a host read misses are
// one flash read, of the frames that hold them (nand.ecc.frame); reads that miss entries already being fetched wait for
// that fetch. Writes come one by one and share no fetches: which fetches a write finds in flight depends on time, and
// the number of reads must not.
// With a host memory buffer, copies of translation pages are kept there (HostLevel): a missing entry is read over the
// link if its page is there, in lines of HostMemoryBuffer::kLine; a page to update is read there, not from flash; a
// page that is read from flash is read whole and kept there. With hmb.map_update = "write_back" changed entries are
// written to that copy, and to flash when the copy is evicted.
// After a power cut the map is found by scanning the spare areas, and all translation pages are rewritten; a worn-down
// device rewrites none and keeps the difference in memory. With checkpoints a mount finds the places of the translation
// pages (the GTD) and the entries that are newer than their pages: the CMT takes as many of them as fit, and the
// translation pages of the others are rewritten (docs/adr/0017).
#include <algorithm>
#include <vector>

#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/kinds/page_map.hpp"
#include "controllers/ftl/mapping/host_level.hpp"
#include "controllers/ftl/mapping/map_cache.hpp"
#include "controllers/ftl/mapping/translation_reader.hpp"
#include "controllers/hardware/hardware.hpp"
#include "models/common/config_problem.hpp"
#include "policies/registry.hpp"

namespace flashloom::ftl::dftl {
namespace {

constexpr std::uint32_t kLogicalBytes = 4;      // of a CMT entry, beside the map entry
constexpr std::uint32_t kFetchesOfWrites = 32;  // most translation pages being read for writes
constexpr std::uint32_t kReadsOfMount = 4;      // most translation pages that a mount reads at once, per die

/// The context with the translation pages as logical units after the host's.
FtlContext with_translation_pages(FtlContext context) {
  context.logical_units += TranslationPages(context.geometry, context.logical_units).count();
  return context;
}

class Dftl final : public PageMapFtl, private MoveListener {
 public:
  Dftl(const FtlContext& context, std::uint32_t cmt_entries, const PolicyChoice& replacement, bool batch_update)
      : PageMapFtl(with_translation_pages(context), true),
        host_units_(static_cast<std::uint32_t>(context.logical_units)),
        pages_(context.geometry, context.logical_units),
        cache_(context.logical_units, pages_.entries(), cmt_entries, replacement, batch_update),
        moved_(context.geometry.dies),
        owed_(pages_.count()),
        host_(context.hardware.host_memory(), pages_.count(), context.geometry.unit_bytes,
              map_entry_bytes(context.geometry), replacement),
        reader_(context_, blocks_, layout_, host_, host_units_) {
    collector_.relocator().attach(*this);
    paged_.host_units = host_units_;
    if (checkpoints()) paged_.changed.resize(host_units_);
  }

  Task<void> recover() override {
    co_await PageMapFtl::recover();
    if (blocks_.spare().worn_down()) co_return;
    if (checkpoints()) co_return co_await take_what_is_newer();
    for (TranslationPage page = 0; page < owed_.size(); ++page) {
      const PhysicalUnit old = map_.get(unit_of(page));
      if (old != kNoPhysicalUnit) {
        blocks_.invalidate(old, age());
        map_.clear(unit_of(page));
      }
    }
    for (TranslationPage page = 0; page < owed_.size(); ++page)
      for (std::uint32_t unit = pages_.first(page); unit < pages_.end(page); ++unit)
        if (map_.get(unit) != kNoPhysicalUnit) {
          co_await update(page);
          break;
        }
    co_await settle();
    read_only_ = blocks_.spare().worn_down();
  }

  Task<void> write(WriteUnit& unit) override {
    while (busy_) co_await free_.wait();
    busy_ = true;
    newest_ = std::max(newest_, unit.version);
    co_await settle();
    const MapCache::Result result = cache_.access(unit.unit, Access::Write);
    count(result);
    const TranslationPage page = cache_.page_of(unit.unit);
    if (result.write_back != kNoTranslationPage) co_await write_back(result);
    const std::uint64_t tenure = host_.tenure();
    const bool from_host = !result.hit && host_.look_up(page);
    if (from_host || (!result.hit && on_flash(page))) {
      while (fetches_of_writes_ == kFetchesOfWrites) co_await fetched_.wait();
      ++fetches_of_writes_;
      if (from_host) {
        Runtime::current().spawn([this, entry = unit.unit, tenure] { return ask_host_for_write(entry, tenure); });
      } else {
        const TranslationFetch fetch = fetch_of(page, unit.unit, unit.unit);
        const TranslationPage left = begin(fetch);  // before the fetch, which on the instant clock ends at once
        Runtime::current().spawn([this, fetch] { return fetch_for_write(fetch); });
        if (left != kNoTranslationPage) co_await leave(left);
      }
    }
    co_await PageMapFtl::write(unit);
    note_change(unit.unit);
    release();
  }

  Task<bool> idle() override {
    while (busy_) co_await free_.wait();
    busy_ = true;
    const bool any = co_await PageMapFtl::idle();
    co_await settle();
    release();
    co_return any;
  }

  Task<void> seal() override {
    while (busy_) co_await free_.wait();
    busy_ = true;
    co_await PageMapFtl::seal();
    release();
  }

  Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) override {
    while (busy_) co_await free_.wait();
    busy_ = true;
    for (std::uint32_t unit = first; unit < first + count; ++unit)
      if (map_.get(unit) != kNoPhysicalUnit) changed(unit);
    co_await PageMapFtl::trim(first, count, version);
    co_await settle();
    release();
  }

  bool reads_leave_traces() const override { return true; }  // they insert map entries
  CacheTurnover map_turnover() const override {
    const bool alone = !MappedFtl::reads_leave_traces() && context_.hardware.host_memory() == nullptr;
    return alone ? CacheTurnover{cache_.entries(), statistics_.map_cache.misses} : CacheTurnover{};
  }
  MappedFtl* plain_reader() override { return nullptr; }
  Task<void> read(ReadRequest& request) override {
    std::uint32_t pending = 0;
    WaitList all;
    TranslationPage last = kNoTranslationPage;
    std::uint32_t lines = 0;  // lines of the host memory buffer to read
    std::uint32_t last_line = ~std::uint32_t{0};
    const std::uint64_t tenure = host_.tenure();
    for (std::size_t i = 0; i < request.units.size(); ++i) {
      const std::uint32_t unit = request.units[i].unit;
      const TranslationPage page = cache_.page_of(unit);
      const MapCache::Result result = cache_.access(unit, Access::Read);
      count(result);
      if (result.write_back != kNoTranslationPage) {
        while (busy_) co_await free_.wait();
        busy_ = true;
        co_await write_back(result);
        release();
      }
      if (result.hit || page == last) continue;
      if (host_.look_up(page)) {
        const std::uint32_t line = unit * map_entry_bytes(context_.geometry) / HostMemoryBuffer::kLine;
        if (line != last_line) ++lines;
        last_line = line;
        continue;
      }
      if (!on_flash(page)) continue;
      last = page;
      const TranslationPage left = begin_for_read(fetch_of(page, unit, request.units.back().unit), pending, all);
      if (left != kNoTranslationPage) co_await leave_in_turn(left);
    }
    if (lines != 0) {
      const bool arrived = co_await host_.read_lines(lines, tenure);
      if (!arrived) [[unlikely]] {
        last = kNoTranslationPage;
        for (std::size_t i = 0; i < request.units.size(); ++i) {
          const std::uint32_t unit = request.units[i].unit;
          const TranslationPage page = cache_.page_of(unit);
          if (page == last || !on_flash(page)) continue;
          last = page;
          const TranslationPage left = begin_for_read(fetch_of(page, unit, request.units.back().unit), pending, all);
          if (left != kNoTranslationPage) co_await leave_in_turn(left);
        }
      }
    }
    while (pending != 0) co_await all.wait();
    request.breakdown->attribute(LatencyPart::Map, context_.hardware.now());
    co_await PageMapFtl::read(request);
  }

  void state(StateArchive& archive, FrontBuffer& front) override {
    PageMapFtl::state(archive, front);
    archive.part("dftl");
    archive(cache_, moved_, owed_, settle_, newest_);
    if (checkpoints()) archive(paged_.changed);
    host_.state(archive);
  }

  Task<void> host_memory_changed() override {
    while (busy_ || host_.any_leaving()) {
      if (!busy_) free_.wake_one();  // it was woken instead of a coroutine that has a page to write
      co_await free_.wait();
    }
    busy_ = true;
    for (TranslationPage page = host_.next_to_write(); page != kNoTranslationPage; page = host_.next_to_write()) {
      cache_.written(page);
      co_await update(page, true);
    }
    co_await settle();
    co_await host_.renew();
    release();
  }

  void host_memory_lost() override { host_.lose(); }

 private:
  std::uint32_t unit_of(TranslationPage page) const { return host_units_ + page; }
  FtlStatistics::MapCache& counts() { return statistics_.map_cache; }
  void count(const MapCache::Result& result) { ++(result.hit ? counts().hits : counts().misses); }

  const PagedMap* paged() const override { return &paged_; }
  void note_change(std::uint32_t unit) {
    if (!paged_.changed.empty()) paged_.changed.set(unit);
  }
  /// The translation page has been placed, or changed in memory: entries that are now equal to it count as unchanged.
  /// Without batch_update some cached entries still differ.
  void note_written(TranslationPage page) {
    for (std::uint32_t unit = pages_.first(page); checkpoints() && unit < pages_.end(page); ++unit)
      if (!cache_.differs(unit)) paged_.changed.clear(unit);
  }

  // Translation pages written since the checkpoint may name places whose data a power cut has torn. An entry counts
  // only if the spare areas confirm it, so these pages are read.
  Task<void> read_newer_pages() {
    const std::uint32_t most = kReadsOfMount * context_.geometry.dies;
    for (TranslationPage page = 0; page < owed_.size(); ++page) {
      if (!newer_.has(unit_of(page)) || !on_flash(page)) continue;
      while (fetches_of_writes_ == most) co_await fetched_.wait();
      ++fetches_of_writes_;
      ++mounted_.reads;
      const TranslationFetch fetch{page, place_of(page), pages_.whole(), 0, Origin::Recovery};
      reader_.begin(fetch);
      Runtime::current().spawn([this, fetch] { return fetch_for_write(fetch); });
    }
    while (fetches_of_writes_ != 0) co_await fetched_.wait();
  }

  Task<void> take_what_is_newer() {
    co_await read_newer_pages();
    for (TranslationPage page = 0; page < owed_.size(); ++page) {
      std::uint32_t newer = 0;
      for (std::uint32_t unit = pages_.first(page); unit < pages_.end(page); ++unit) {
        if (newer_.has(unit)) paged_.changed.set(unit);
        newer += newer_.has(unit) ? 1 : 0;
      }
      const bool room = cache_.has_room(newer);
      if (!room) co_await update(page);
      for (std::uint32_t unit = pages_.first(page); room && newer != 0 && unit < pages_.end(page); ++unit)
        if (newer_.has(unit)) cache_.access(unit, Access::Write);
    }
    newer_ = {};
    co_await settle();
    read_only_ = blocks_.spare().worn_down();
  }

  void release() {
    busy_ = false;
    read_only_ = blocks_.spare().worn_down();
    free_.wake_one();
  }

  /// The first of two program passes is done or in flight: the page stays in memory until the second one.
  bool in_first_pass(PhysicalUnit place) const {
    return context_.geometry.two_passes && !blocks_.on_flash(programmer_.reads().readable(place));
  }
  /// Whether the page must be read from flash to know its content: it is neither in memory nor empty.
  bool on_flash(TranslationPage page) const {
    const PhysicalUnit place = map_.get(unit_of(page));
    return place != kNoPhysicalUnit && !host_blocks_.fills(host_blocks_.map_stream(), place) && !in_first_pass(place);
  }

  // --- Reading translation pages. After begin() the block is not erased before the read ends.
  PhysicalUnit place_of(TranslationPage page) const { return programmer_.reads().readable(map_.get(unit_of(page))); }
  /// Fetches the entries of units `first` to `last`, or the whole page if the host memory buffer is to keep it.
  TranslationFetch fetch_of(TranslationPage page, std::uint32_t first, std::uint32_t last) const {
    const std::uint64_t kept = host_.wants(page);
    return {page, place_of(page), kept != 0 ? pages_.whole() : pages_.span(first, last), kept};
  }
  /// Returns the page that the host memory buffer evicts for it, to be passed to leave().
  TranslationPage begin(const TranslationFetch& fetch) {
    reader_.begin(fetch);
    ++counts().reads;
    if (fetch.kept == 0) return kNoTranslationPage;
    const TranslationPage left = host_.put(fetch.page);
    if (left != kNoTranslationPage) cache_.written(left);
    return left;
  }

  Task<void> fetch_for_write(TranslationFetch fetch) {
    co_await reader_.read(fetch);
    --fetches_of_writes_;
    fetched_.wake_one();
  }

  Task<void> ask_host_for_write(std::uint32_t unit, std::uint64_t tenure) {
    const bool arrived = co_await host_.read_lines(1, tenure);
    const TranslationPage page = cache_.page_of(unit);
    if (!arrived && on_flash(page)) {
      const TranslationFetch fetch{page, place_of(page), pages_.span(unit, unit)};
      begin(fetch);
      co_await reader_.read(fetch);
    }
    --fetches_of_writes_;
    fetched_.wake_one();
  }

  TranslationPage begin_for_read(const TranslationFetch& fetch, std::uint32_t& pending, WaitList& all) {
    ++pending;
    if (WaitList* const shared = reader_.under_way(fetch)) {
      Runtime::current().spawn([shared, &pending, &all] { return TranslationReader::share(*shared, pending, all); });
      return kNoTranslationPage;
    }
    const TranslationPage left = begin(fetch);
    Runtime::current().spawn([this, fetch, &pending, &all] { return reader_.read_shared(fetch, pending, all); });
    return left;
  }
  // --- Writing translation pages: only by the holder of `busy_`.
  /// Writes back changed entries: those evicted from the map cache, or cleaned with an evicted one.
  Task<void> write_back(MapCache::Result result) {
    if (!host_.keeps_changes(result.write_back)) return update(result.write_back);
    return host_.change(result.write_back, result.changed);
  }
  /// Writes a dirty page that the host memory buffer has evicted.
  Task<void> leave(TranslationPage page) {
    co_await update(page, true);
    host_.has_left();
  }
  Task<void> leave_in_turn(TranslationPage page) {
    while (busy_) co_await free_.wait();
    busy_ = true;
    co_await leave(page);
    release();
  }
  /// `leaves`: the host memory buffer evicts its copy, which is newer than flash.
  Task<void> update(TranslationPage page, bool leaves = false) {
    owed_[page] = 0;
    if (blocks_.spare().worn_down()) co_return;  // the change stays in memory
    const std::uint32_t stream = host_blocks_.map_stream();
    PhysicalUnit old = map_.get(unit_of(page));
    if (old != kNoPhysicalUnit && host_blocks_.fills(stream, old)) {  // changed in memory
      note_written(page);
      host_.clean(page);
      if (!leaves && host_.holds(page)) co_await host_.write_page();
      co_return;
    }
    bool known = leaves || host_.holds(page);
    if (known) known = co_await host_.read_page();
    frontier_.make_fit_whole(stream);
    if (host_blocks_.job(stream) == nullptr) {
      const bool opened = co_await frontier_.open({.unit = unit_of(page), .stream = stream});
      if (!opened) co_return;
      // The block may wait for the erase of a block that this page is copied from: GC has released it, but its own
      // copies are still in flight.
      co_await collector_.open_blocks().until_ready(host_blocks_.job(stream)->block);
      for (const FailedProgram& failure : host_blocks_.job(stream)->failures)
        co_await collector_.open_blocks().until_ready(failure.block);  // the same for a failed program of the job
    }
    old = map_.get(unit_of(page));  // GC may have moved it
    const OobWord word = layout_.encode(unit_of(page), newest_);
    ProgramJob& job = *host_blocks_.job(stream);
    PhysicalUnit place = kNoPhysicalUnit;
    BlockNumber copied_from = kNoBlockNumber;
    if (old == kNoPhysicalUnit || known || in_first_pass(old)) {  // its content is in memory
      place = programmer_.jobs().place_new(job, word);
      if (old != kNoPhysicalUnit) blocks_.invalidate(old, age());
    } else {
      const PhysicalUnit source = programmer_.reads().readable(old);
      copied_from = blocks_.block_of(source);
      place = programmer_.jobs().place_copy(job, word, source);
      blocks_.invalidate(old, age());
      ++counts().reads;
    }
    ++counts().writes;
    map_.set(unit_of(page), place);
    blocks_.validate(place);
    note_written(page);
    host_blocks_.launch_if_full(stream);
    // GC has released the source, and this copy of the page is in flight: programs may wait for its erase, even some
    // that must end before more pages arrive to fill the program unit.
    if (copied_from != kNoBlockNumber && blocks_[copied_from].given_up()) host_blocks_.seal_map_newer(copied_from);
    host_.clean(page);
    if (!leaves && host_.holds(page)) co_await host_.write_page();
  }

  // --- Entries that change without a look-up: those of units that GC moves, and of trimmed units.
  void changed(std::uint32_t unit) {
    note_change(unit);
    if (cache_.change(unit)) return;
    const TranslationPage page = cache_.page_of(unit);
    if (host_.keeps_changes(page)) return host_.change_later(page);
    if (owed_[page] != 0) return;
    owed_[page] = 1;
    settle_.push_back(page);
  }
  void moved(std::uint32_t die, std::uint32_t unit) override {
    if (unit >= host_units_) return;  // a translation page: the GTD is in memory
    note_change(unit);
    if (!cache_.change(unit)) moved_[die].push_back(unit);
  }
  void collected(std::uint32_t die) override {
    for (const std::uint32_t unit : moved_[die]) changed(unit);
    moved_[die].clear();
  }
  // Updates the pages in settle_. Each update may collect garbage, and so add more pages.
  Task<void> settle() {
    if (host_.any_to_send()) co_await host_.send_changes();
    while (!settle_.empty()) {
      const TranslationPage page = settle_.back();
      settle_.pop_back();
      if (owed_[page] == 0) continue;
      cache_.written(page);
      co_await update(page);
    }
  }

  std::uint32_t host_units_;
  TranslationPages pages_;
  MapCache cache_;
  std::vector<std::vector<std::uint32_t>> moved_;  // by die: units moved out of the victim being collected
  std::vector<std::uint8_t> owed_;                 // by translation page: whether it is in settle_
  std::vector<TranslationPage> settle_;            // to be updated before the next write
  std::uint64_t newest_ = 0;                       // version of the newest data
  bool busy_ = false;                              // a coroutine writes
  WaitList free_;
  std::uint32_t fetches_of_writes_ = 0;
  WaitList fetched_;
  HostLevel host_;
  TranslationReader reader_;
  PagedMap paged_;  // not maintained without checkpoints
};

std::uint32_t cmt_entries(const ParameterValues& values, const NandGeometry& geometry) {
  return static_cast<std::uint32_t>(values.get<std::int64_t>("cmt_size") / (kLogicalBytes + map_entry_bytes(geometry)));
}
PolicyChoice replacement(const ParameterValues& values) { return {values.get<std::string>("replacement"), {}}; }

void check(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t, bool) {
  require(cmt_entries(config.kind.parameters, geometry) != 0, "ftl.kind.cmt_size", "holds no entry; valid: at least ",
          MessageBytes{kLogicalBytes + map_entry_bytes(geometry)});
  const std::string name = config.kind.parameters.get<std::string>("replacement");
  if (PartCatalog::instance().find(ReplacementPolicy::kFamily, name) == nullptr)
    throw ConfigProblem("ftl.kind.replacement", {UnknownPart(ReplacementPolicy::kFamily, name).what()});
}

// Bytes of the CMT, and of the GTD with one entry per translation page.
std::uint64_t map_bytes(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units) {
  return static_cast<std::uint64_t>(config.kind.parameters.get<std::int64_t>("cmt_size")) +
         TranslationPages(geometry, logical_units).count() * std::uint64_t{map_entry_bytes(geometry)};
}

std::uint64_t map_units(const NandGeometry& geometry, std::uint64_t logical_units) {
  return TranslationPages(geometry, logical_units).count();
}

const FtlRules rules("dftl", {.check = &check, .map_bytes = &map_bytes, .map_units = &map_units, .pages_map = true});

const RecoveryMethods recovery{"dftl", {"checkpoint", "journal"}, true};

const Registration<Ftl> registration{
    {.name = "dftl",
     .summary = "page mapping, map on flash, cached entry by entry (DFTL)",
     .source = "Gupta, Kim, Urgaonkar, DFTL, ASPLOS 2009",
     .parameters = {{.name = "cmt_size",
                     .default_value = std::int64_t{128 << 10},
                     .dimension = Dimension::Bytes,
                     .minimum = kLogicalBytes + 4,
                     .maximum = 32e9,
                     .choices = {},
                     .help = "memory of the cached mapping table, 8 B an entry (12 B of compressed data)"},
                    {.name = "replacement",
                     .default_value = std::string("lru"),
                     .choices = {},
                     .help = "which entry leaves it: a policy of the family replacement"},
                    {.name = "batch_update",
                     .default_value = true,
                     .choices = {},
                     .help = "write all cached entries of a translation page with it"}},
     .time_dependent = true},
    [](const FtlContext& context, const ParameterValues& values) {
      return std::make_unique<Dftl>(context, cmt_entries(values, context.geometry), replacement(values),
                                    values.get<bool>("batch_update"));
    }};

}  // namespace
}  // namespace flashloom::ftl::dftl
