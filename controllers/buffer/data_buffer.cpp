#include "controllers/buffer/data_buffer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "controllers/runtime/fault.hpp"

namespace flashloom {

DataBuffer::DataBuffer(const Shape& shape, std::vector<Part> parts, std::unique_ptr<CorrelatedSets> sets, Ftl& ftl,
                       Hardware& hardware, NvramContents& nvram)
    : shape_(shape),
      unit_(shape.unit_bytes),
      sector_(shape.sector_bytes),
      ftl_(ftl),
      hardware_(hardware),
      parts_(std::move(parts)),
      sets_(std::move(sets)),
      all_sectors_(~std::uint64_t{0} >> (64 - shape.unit_bytes / shape.sector_bytes)),
      ahead_(shape.read_ahead_units),
      entries_(shape.units + shape.padding_units),
      buckets_(std::bit_ceil(std::size_t{shape.units} * 2)),
      index_(Index::bucket_traits(buckets_.data(), buckets_.size())),
      orders_(std::size_t{2} * shape.units + 64) {
  const std::uint32_t sectors = shape.unit_bytes / shape.sector_bytes;
  if (shape.verify) tokens_.resize(entries_.size() * sectors);
  if (shape.nvram)
    records_ =
        std::make_unique<NvramRecords>(nvram, shape.nvram_first, hardware, shape.units, shape.verify ? sectors : 0);
  free_.reserve(shape.units);
  for (auto slot = static_cast<Slot>(entries_.size()); slot-- > 0;) {
    entries_[slot].write.listener = this;
    entries_[slot].write.owner_slot = slot;
    if (shape.verify) entries_[slot].write.tokens = &tokens_[std::size_t{slot} * sectors];
    (slot < shape.units ? free_ : free_padding_).push_back(slot);
  }
}

DataBuffer::Entry* DataBuffer::find(std::uint32_t unit) const {
  const auto found = index_.find(unit);
  return found == index_.end() ? nullptr : const_cast<Entry*>(&*found);
}

Task<void> DataBuffer::record(Entry& entry, Picoseconds& recorded, Entry* superseded) {
  entry.recorded = true;
  std::uint32_t released = NvramRecords::kNone;
  if (superseded != nullptr && std::exchange(superseded->recorded, false)) released = slot_of(*superseded);
  recorded = std::max(recorded, co_await records_->write(slot_of(entry), entry.write, released));
}

void DataBuffer::release(Entry& entry) {
  if (std::exchange(entry.recorded, false)) records_->release(slot_of(entry));
}

Task<void> DataBuffer::recover() {
  if (records_ == nullptr) co_return;
  std::vector<WriteUnit*> units;
  for (Entry& entry : entries_) units.push_back(&entry.write);
  std::vector<Slot> held;
  co_await records_->recover(held, units);
  if (!held.empty()) version_ = std::max(version_, entries_[held.back()].write.version);
  for (const Slot slot : held) {
    Entry& entry = entries_[slot];
    entry.state = State::Resident;
    entry.recorded = true;
    entry.write.request = 0;
    // Flash may have the tombstone of a trim that was under way, and that these data have outlived: they are newer.
    entry.write.version = ++version_;
    entry.dirty_since = version_;
    entry.part = part_of(entry.write.stream);
    ++part_of(entry).dirty;
    index_.insert(entry);
    dirty_.push_back(entry);
    part_of(entry).victims->inserted(slot, entry.write.unit, Access::Write);
    tell_sets(entry, ++writes_);  // nobody knows any more what was written together
  }
  std::erase_if(free_, [this](Slot slot) { return entries_[slot].state == State::Resident; });
  // What was on its way to flash when the power failed is dirty once more, and there may be too much of it.
  for (std::uint8_t number = 0; number < parts_.size(); ++number)
    while (parts_[number].dirty > parts_[number].room) evict_next(number, DestageCause::Need);
}

void DataBuffer::order(const Order& next) {
  if (orders_.full()) orders_.set_capacity(orders_.capacity() * 2);
  orders_.push_back(next);
  ++orders_given_;
  if (!destager_running_) start_destager();
}

void DataBuffer::start_destager() {
  destager_running_ = true;
  Runtime::current().spawn([this] { return destage(); });
}

// The order to write a unit, carried out at once where none is before it and nothing has to be waited for.
void DataBuffer::order_write(Entry& entry) {
  if (destager_running_ || in_table_ >= shape_.destage_units) return order(WriteOrder{&entry});
  ++orders_given_;
  ++in_table_;
  destager_running_ = true;
  entry.write.refused = false;
  const Task<void> write = ftl_.write(entry.write);
  if (!write.is_over()) {
    Runtime::current().spawn([this, &entry, write] { return destage_after(write, entry); });
    return;
  }
  if (entry.write.refused) [[unlikely]]
    strand(entry);
  order_done();
  destager_running_ = false;
  if (!orders_.empty()) start_destager();
}

Task<void> DataBuffer::destage_after(Task<void> write, Entry& entry) {
  co_await write;
  if (entry.write.refused) strand(entry);
  order_done();
  co_await destage();
}

Task<void> DataBuffer::destage() {
  while (!orders_.empty()) {
    const Order next = orders_.front();
    orders_.pop_front();
    if (const auto* const write = std::get_if<WriteOrder>(&next)) {
      while (in_table_ >= shape_.destage_units) co_await table_.wait();
      ++in_table_;
      write->entry->write.refused = false;
      co_await ftl_.write(write->entry->write);
      if (write->entry->write.refused) strand(*write->entry);
    } else if (const auto* const padding = std::get_if<PaddingOrder>(&next)) {
      co_await pad(*padding);
    } else if (const auto* const trim = std::get_if<TrimOrder>(&next)) {
      co_await ftl_.trim(trim->first, trim->count, trim->version);
      trims_.pop_front();
    } else if (const auto* const seal = std::get_if<SealOrder>(&next)) {
      if (seal->seal) co_await ftl_.seal();
      if (seal->persist) co_await ftl_.persist_trims();
    }
    order_done();
  }
  destager_running_ = false;
}

// The FTL has refused it: it stays among those on their way to flash, where reads find it, to the end of the device's
// life. Whoever waits for room, or for what is to be durable, waits in vain.
void DataBuffer::strand(Entry& entry) {
  entry.write.refused = true;
  if (entry.state != State::Padding) {
    --in_table_;
    ++statistics_.refused_units;
  }
  for (WaitList* const list : {&space_, &table_, &durable_, &filled_, &padding_}) list->wake_all();
}

void DataBuffer::on_filled(WriteUnit&) { filled_.wake_all(); }

void DataBuffer::on_durable(WriteUnit& unit, const ProgramInstants& program) {
  Entry& entry = entry_of(unit);
  if (entry.state == State::Padding) {
    if (static_cast<IndexHook&>(entry).is_linked()) index_.erase(index_.iterator_to(entry));
    entry.state = State::Free;
    free_padding_.push_back(slot_of(entry));
    padding_.wake_one();
    return;
  }
  destaging_.erase(destaging_.iterator_to(entry));
  --destaging_count_;
  --in_table_;
  table_.wake_one();
  release(entry);
  if (static_cast<IndexHook&>(entry).is_linked()) index_.erase(index_.iterator_to(entry));
  entry.state = State::Free;
  free_.push_back(slot_of(entry));
  space_.wake_one();
  if (durable_.empty()) return;
  durable_program_ = program;
  durable_.wake_all();
}

Task<void> DataBuffer::evict_up_to(std::uint64_t version) {
  while (!dirty_.empty() && dirty_.front().dirty_since <= version) {
    if (can_evict())
      evict_for_flush(dirty_.front());
    else if (ftl_.out_of_room())
      co_return;
    else
      co_await space_.wait();
  }
  if (can_evict()) space_.wake_one();
}

Task<void> DataBuffer::durable_up_to(std::uint64_t eviction, LatencyBreakdown& breakdown) {
  bool waited = false;
  while (!destaging_.empty() && destaging_.front().order <= eviction && !fault(Fault::EarlyAcknowledge)) {
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

Task<void> DataBuffer::flush(IoCommand& command) {
  // In NVRAM, no write has been acknowledged that a power cut could take away.
  const bool in_dram = records_ == nullptr;
  if (in_dram) co_await evict_up_to(version_);
  order(SealOrder{.persist = true, .seal = in_dram});
  const std::uint64_t mine = orders_given_;
  if (in_dram) co_await durable_up_to(evictions_, command.breakdown);
  while (orders_done_ < mine) co_await ordered_.wait();
  if (in_dram && ftl_.out_of_room()) command.status = IoStatus::WriteProtected;
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
}

Task<void> DataBuffer::trim(IoCommand& command, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t begin = (offset + shape_.unit_bytes - 1) / shape_.unit_bytes;
  const std::uint64_t end = (offset + length) / shape_.unit_bytes;
  if (begin >= end) co_return;
  const auto first = static_cast<std::uint32_t>(begin);
  const auto count = static_cast<std::uint32_t>(end - begin);
  const std::uint64_t number = ++burials_given_;
  if (records_ != nullptr) {
    // Before NVRAM forgets what it holds of them: what is older on flash must not come back in a power cut.
    burials_.push_back({first, count, number});
    order_trim(first, count);
    order(SealOrder{.persist = true});
    const std::uint64_t told = orders_given_;
    while (orders_done_ < told) co_await ordered_.wait();
    if (ftl_.out_of_room()) [[unlikely]] {
      std::erase_if(burials_, [number](const Burial& each) { return each.number == number; });
      ordered_.wake_all();
      command.status = IoStatus::WriteProtected;
      co_return;
    }
  }
  if (count < index_.bucket_count()) {
    for (std::uint32_t unit = first; unit < first + count; ++unit)
      if (Entry* const entry = find(unit)) drop(*entry);
  } else {
    for (Entry& entry : entries_)
      if (static_cast<IndexHook&>(entry).is_linked() && entry.write.unit - first < count) drop(entry);
  }
  if (std::erase_if(burials_, [number](const Burial& each) { return each.number == number; }) != 0) ordered_.wake_all();
  order_trim(first, count);
  const std::uint64_t mine = orders_given_;
  while (orders_done_ < mine) co_await ordered_.wait();
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
}

void DataBuffer::order_trim(std::uint32_t first, std::uint32_t count) {
  trims_.push_back({.first = first, .count = count, .version = version_});
  order(trims_.back());
}

void DataBuffer::drop(Entry& entry) {
  if (entry.state != State::Clean && entry.state != State::Reading) index_.erase(index_.iterator_to(entry));
  release(entry);
  if (entry.on_its_way()) return;  // it goes to flash and is unmapped behind
  if (entry.state != State::Resident) {
    forget_clean(entry, false);
    return;
  }
  ++discarded_;
  part_of(entry).victims->dropped(slot_of(entry));
  if (sets_ != nullptr) sets_->removed(slot_of(entry));
  dirty_.erase(dirty_.iterator_to(entry));
  --part_of(entry).dirty;
  entry.state = State::Free;
  free_.push_back(slot_of(entry));
  space_.wake_one();
}

void DataBuffer::state(StateArchive& archive) {
  archive.part("data buffer");
  archive(tokens_);
  for (Entry& entry : entries_) {
    bool newest = static_cast<IndexHook&>(entry).is_linked();
    archive(entry.write.unit, entry.write.version, entry.write.sectors, entry.write.stream, entry.write.last,
            entry.order, entry.dirty_since, entry.state, entry.part, entry.ahead, entry.recorded, newest);
    if (!archive.loading()) continue;
    entry.write.rest_lost = entry.on_its_way() && entry.write.sectors != all_sectors_;  // nothing is being read
    if (newest) index_.insert(entry);
  }
  list_state(archive, dirty_);
  list_state(archive, destaging_);
  archive(free_, free_padding_, in_table_, destaging_count_, version_, writes_, evictions_, orders_done_, orders_given_,
          statistics_);
  archive.part("replacement");
  for (Part& part : parts_) {
    archive(part.dirty, part.clean);
    part.victims->state(archive);
    if (part.clean_victims != nullptr) part.clean_victims->state(archive);
  }
  if (sets_ != nullptr) sets_->state(archive);
  ahead_.state(archive);
  if (records_ != nullptr) records_->state(archive);
}

void DataBuffer::list_state(StateArchive& archive, List& list) {
  std::vector<Slot> slots;
  for (const Entry& entry : list) slots.push_back(slot_of(entry));
  archive(slots);
  if (archive.loading())
    for (const Slot slot : slots) list.push_back(entries_[slot]);
}

}  // namespace flashloom
