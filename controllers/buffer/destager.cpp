#include "controllers/buffer/destager.hpp"

#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/zones/zones.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {
namespace {

// The buffer as padding reads it: entries of a unit that were evicted before its block, and are not on flash yet.
class OlderData final : public FrontBuffer {
 public:
  OlderData(const EntryStore& store, std::uint64_t evictions) : store_(store), evictions_(evictions) {}

  std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                      std::uint32_t first_sector) override {
    return store_.serve(store_.on_its_way(unit, evictions_), unit, sectors, tokens, first_sector);
  }
  std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const override {
    return store_.missing(store_.on_its_way(unit, evictions_), unit, sectors);
  }
  WriteUnit& write_unit(std::uint32_t) override { throw std::logic_error("padding is read, not written"); }

 private:
  const EntryStore& store_;
  std::uint64_t evictions_;
};

}  // namespace

Destager::Destager(const BufferShape& shape, EntryStore& store, Ftl& ftl, Hardware& hardware,
                   BufferStatistics& statistics)
    : store_(store),
      ftl_(ftl),
      hardware_(hardware),
      statistics_(statistics),
      notes_room_waits_(shape.room_waits),
      orders_(std::size_t{2} * shape.units + 64) {
  store.tell(*this);
}

[[gnu::noinline]] void Destager::order(const DestageOrder& next) {
  if (orders_.full()) orders_.set_capacity(orders_.capacity() * 2);
  orders_.push_back(next);
  ++given_;
  if (!running_) start();
}

void Destager::order_trim(std::uint32_t first, std::uint32_t count) {
  store_.begin_trim(first, count);
  order(TrimOrder{first, count, store_.version()});
}

// Map entries of writes are scattered. Prefetches that of the likely next write, and the place of its older data, while
// the FTL is busy with this one.
void Destager::order_write(BufferEntry& entry) {
  if (running_ || !store_.table_has_room()) return order(WriteOrder{&entry});
  ++given_;
  running_ = true;
  const BufferEntry* const next = likely_next(entry);
  if (next != nullptr) ftl_.prefetch(next->write.unit);
  const Task<void> write = hand_over(entry);
  if (!write.is_over()) {
    Runtime::current().spawn([this, &entry, write] { return destage_after(write, entry); });
    return;
  }
  if (next != nullptr) ftl_.prefetch_older(next->write.unit);
  handed_over(entry);
  order_done();
  running_ = false;
  if (!orders_.empty() || !first_.empty()) start();
}

// The likely next victim. For policies whose victim() must not be called early, the entry that has been dirty longest,
// which is often wrong, since hot entries stay dirty.
inline const BufferEntry* Destager::likely_next(const BufferEntry& leaving) {
  EvictionPolicy& victims = *store_.part_of(leaving).victims;
  if (victims.traits().in_order) [[likely]] {
    const Slot slot = victims.victim();
    return slot == kNoSlot ? nullptr : &store_[slot];
  }
  const auto dirty = store_.dirty().begin();
  return dirty == store_.dirty().end() ? nullptr : &*dirty;
}

Task<void> Destager::hand_over(BufferEntry& entry) {
  store_.enter_table();
  entry.write.refused = false;
  return ftl_.write(entry.write);
}

void Destager::handed_over(BufferEntry& entry) {
  if (!entry.write.refused) [[likely]]
    return;
  store_.refuse();
  ++statistics_.refused_units;
  strand(entry);
}

void Destager::start() {
  running_ = true;
  Runtime::current().spawn([this] { return destage(); });
}

Task<void> Destager::destage_after(Task<void> write, BufferEntry& entry) {
  co_await write;
  handed_over(entry);
  order_done();
  co_await destage();
}

template <class Take>
void Destager::take_out(std::uint32_t first, std::uint32_t count, Take take) {
  for (DestageOrder& order : orders_) {
    auto* const write = std::get_if<WriteOrder>(&order);
    if (write == nullptr || write->entry == nullptr || write->entry->write.unit - first >= count) continue;
    take(*std::exchange(write->entry, nullptr));
  }
}

Task<void> Destager::carry_out_first(ZoneOrder order, std::uint32_t first, std::uint32_t count) {
  take_out(first, count, [this](BufferEntry& entry) { push_first({.order = WriteOrder{&entry}, .done = nullptr}); });
  return go_first(order);
}

Task<void> Destager::reset_first(std::uint32_t first, std::uint32_t count) {
  take_out(first, count, [this](BufferEntry& entry) { drop(entry); });
  store_.begin_trim(first, count);
  return go_first(TrimOrder{first, count, store_.version()});
}

Task<void> Destager::go_first(DestageOrder next) {
  bool done = false;
  push_first({.order = next, .done = &done});
  if (running_)
    table_.wake_all();  // an order that waits for room in the table may be passed
  else
    start();
  while (!done) co_await ordered_.wait();
}

void Destager::push_first(const First& next) {
  if (first_.full()) first_.set_capacity(first_.capacity() * 2);
  const auto is_trim = [](const First& each) { return std::holds_alternative<TrimOrder>(each.order); };
  if (is_trim(next))
    first_.insert(std::ranges::find_if_not(first_, is_trim), next);
  else
    first_.push_back(next);
}

void Destager::drop(BufferEntry& entry) {
  store_.drop(entry);
  if (durable_.empty()) return;
  durable_program_ = {};
  durable_.wake_all();
}

Task<void> Destager::destage() {
  while (!orders_.empty() || !first_.empty()) {
    const bool first = !first_.empty();
    const DestageOrder next = first ? first_.front().order : orders_.front();
    const auto* const write = std::get_if<WriteOrder>(&next);
    if (write != nullptr && write->entry != nullptr && !store_.table_has_room()) {
      co_await table_.wait();
      continue;
    }
    bool* const done = first ? first_.front().done : nullptr;
    if (first)
      first_.pop_front();
    else
      orders_.pop_front();
    if (write != nullptr) {
      if (write->entry != nullptr) {
        co_await hand_over(*write->entry);
        handed_over(*write->entry);
      }
    } else if (const auto* const padding = std::get_if<PaddingOrder>(&next)) {
      co_await pad(*padding);
    } else if (const auto* const trim = std::get_if<TrimOrder>(&next)) {
      co_await ftl_.trim(trim->first, trim->count, trim->version);
      store_.end_trim();
    } else if (const auto* const seal = std::get_if<SealOrder>(&next)) {
      if (seal->seal) co_await ftl_.seal();
      if (seal->persist) co_await ftl_.persist_trims();
    } else if (const auto* const handle = std::get_if<HandleOrder>(&next)) {
      co_await ftl_.update_handle(handle->placement);
    } else if (const auto* const zone = std::get_if<ZoneOrder>(&next)) {
      // Separate statements: GCC 12 leaks the frame of a task from a conditional expression.
      if (zone->kind == ZoneOrder::Kind::Finish)
        co_await ftl_.zones()->finish(zone->zone);
      else if (zone->kind == ZoneOrder::Kind::Pad)
        co_await ftl_.zones()->pad(zone->zone, zone->member);
      else if (zone->kind == ZoneOrder::Kind::Commit)
        co_await ftl_.zones()->commit(zone->zone, zone->end);
      else
        ftl_.zones()->give_area(zone->zone);
    }
    if (ftl_.out_of_room()) [[unlikely]]
      wake_all();
    if (done != nullptr) *done = true;
    if (first)
      ordered_.wake_all();
    else
      order_done();
  }
  running_ = false;
}

// Called in its turn among the writes: the FTL has all entries that were evicted before it, and none of the later ones.
Task<void> Destager::pad(PaddingOrder order) {
  while (!store_.any_free_padding() && !ftl_.out_of_room()) co_await padding_.wait();
  if (ftl_.out_of_room()) co_return;  // its block does not leave any more
  BufferEntry& entry = store_.take_padding();
  OlderData older(store_, order.evictions);
  ReadRequest& request = padding_read_ = {};
  unused_breakdown_.begin(hardware_.now());
  request.front = &older;
  request.breakdown = &unused_breakdown_;
  request.to_host = false;
  request.units.push_back({order.unit, 0, store_.pieces().all_sectors(), entry.write.tokens});
  co_await ftl_.read(request);
  if (request.failed) {  // it stays where it is
    store_.free_padding(entry);
    co_return;
  }
  store_.pad(entry, order.unit, order.version, order.last);
  co_await ftl_.write(entry.write);
  if (entry.write.refused) strand(entry);  // it may hide what has been refused before it
}

// The FTL has refused the entry, at the end of the device's life: it stays Destaging for good, where reads find it.
// Wakes all who wait for room or durability, since neither will come.
void Destager::strand(BufferEntry& entry) {
  entry.write.refused = true;
  wake_all();
}

void Destager::wake_all() {
  for (WaitList* const list : {&store_.room(), &table_, &durable_, &filled_, &padding_}) list->wake_all();
}

void Destager::waited(bool for_room, Picoseconds from, Picoseconds to) {
  if (!notes_room_waits_ || to == from) return;  // no time passes on the instant clock
  RoomWaitCounts& counts = room_wait_counts_;
  if (for_room) return room_waits_.explain(from, to, counts);
  ++counts.waits;
  counts.time += to - from;
  counts.causes[static_cast<std::size_t>(RoomCause::Unit)] += to - from;
}

void Destager::on_filled(WriteUnit&) { filled_.wake_all(); }

[[gnu::flatten]] void Destager::on_durable(WriteUnit& unit, const ProgramInstants& program) {
  BufferEntry& entry = store_[unit.owner_slot];
  if (notes_room_waits_) room_waits_.programmed(program, hardware_.now());
  if (entry.state == EntryState::Padding) {
    store_.free_padding(entry);
    padding_.wake_one();
    return;
  }
  store_.leave_table(entry);
  table_.wake_one();
  store_.free(entry);
  if (durable_.empty()) return;
  durable_program_ = program;
  durable_.wake_all();
}

Task<void> Destager::durable_up_to(std::uint64_t eviction, LatencyBreakdown& breakdown) {
  const EntryStore::List& destaging = store_.destaging();
  bool waited = false;
  while (!destaging.empty() && destaging.front().order <= eviction && !fault(Fault::EarlyAcknowledge)) {
    if (ftl_.out_of_room()) break;
    waited = true;
    co_await durable_.wait();
  }
  if (waited) {  // for the program that came last
    const ProgramInstants& program = durable_program_;
    breakdown.attribute(LatencyPart::Buffer, program.begin);
    breakdown.attribute(LatencyPart::Map, program.mapped);
    breakdown.attribute(LatencyPart::Dram, program.fetched);
    breakdown.attribute(LatencyPart::Cpu, program.updated);
    breakdown.attribute(LatencyPart::Buffer, program.flash.queued);
    breakdown.attribute(program.flash);
  }
  breakdown.attribute(LatencyPart::Buffer, hardware_.now());
}

std::uint64_t Destager::begin_tombstones(std::uint32_t first, std::uint32_t count) {
  tombstones_.push_back({first, count, ++tombstones_given_});
  return tombstones_given_;
}

void Destager::end_tombstones(std::uint64_t trim) {
  std::erase_if(tombstones_, [trim](const TrimmedRange& each) { return each.trim == trim; });
  ordered_.wake_all();
}

bool Destager::waits_for_tombstone(std::uint32_t unit) const {
  return std::ranges::any_of(tombstones_, [unit](const TrimmedRange& each) { return unit - each.first < each.count; });
}

}  // namespace flashloom
