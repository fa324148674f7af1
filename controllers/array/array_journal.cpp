// What an array records before it writes: stripe contents (write-ahead journal) or regions being written (bitmap).
#include <algorithm>

#include "controllers/array/array.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kBitmapWrite = 64;  // bytes: a line of the memory

}  // namespace

Task<void> Array::nvram_write(std::uint64_t bytes) {
  const Picoseconds time = around_.nvram->access(true, 0, static_cast<std::uint32_t>(bytes));
  co_await Until(around_.timers, kernel_now() + time);
}

std::unique_ptr<JournalEntry> Array::entry_of(const StripeWrite& write, const Bands& bands, Stripe& memory) {
  std::unique_ptr<JournalEntry> entry = around_.media.take();
  entry->stripe = write.stripe;
  std::uint64_t sectors = 0;
  const auto add = [&](std::uint32_t column, std::uint64_t row, std::uint64_t length) {
    JournalPart& part = entry->add();
    part.column = column;
    part.row = row;
    part.length = length;
    part.tokens.clear();
    if (const SectorToken* const tokens = memory_of(memory, column, row); tokens != nullptr)
      part.tokens.assign(tokens, tokens + length / shape_.sector_bytes);
    sectors += length / shape_.sector_bytes;
  };
  layout_.each_extent(write.from, write.length,
                      [&](const ArrayExtent& part) { add(part.column, part.row, part.length); });
  each_parity_range(bands, [&](std::uint64_t row, std::uint64_t length) {
    for (std::uint32_t column = layout_.data_columns(); column < layout_.columns(); ++column) add(column, row, length);
  });
  entry->bytes = journal_entry_bytes(sectors, shape_.sector_bytes);
  return entry;
}

// An entry counts once all of it is in the NVRAM; after an earlier cut its checksum is missing.
Task<JournalEntry*> Array::write_ahead(std::unique_ptr<JournalEntry>& entry) {
  while (journal_used_ + entry->bytes > config_.nvram.size) {
    const auto done = [](const std::unique_ptr<JournalEntry>& each) { return each->done != 0; };
    const auto& journal = around_.media.journal;
    if (journal_flushing_ || std::none_of(journal.begin(), journal.end(), done)) {  // wait for writes in progress
      co_await journal_changed_.wait();
      continue;
    }
    journal_flushing_ = true;
    ++around_.statistics.journal_flushes;
    const std::uint64_t mark = ++events_;
    co_await flush_drives(nullptr);  // failing drives leave the array, or the write fails later
    release(mark);
    journal_flushing_ = false;
    journal_changed_.wake_all();
  }
  journal_used_ += entry->bytes;
  ++around_.statistics.journal_entries;
  around_.statistics.journal_bytes += entry->bytes;
  step(ArrayStep::Journal);
  co_await nvram_write(entry->bytes);
  around_.media.journal.push_back(std::move(entry));
  co_return around_.media.journal.back().get();
}

void Array::journal_done(JournalEntry* entry) {
  entry->done = ++events_;
  journal_changed_.wake_all();
}

// Frees entries done before event `until`, at which a flush of all drives began: their data are on flash.
void Array::release(std::uint64_t until) {
  auto& journal = around_.media.journal;
  bool any = false;
  for (std::unique_ptr<JournalEntry>& entry : journal) {
    if (entry->done == 0 || entry->done > until) continue;
    journal_used_ -= entry->bytes;
    around_.media.give(std::move(entry));
    any = true;
  }
  if (!any) return;
  std::erase(journal, nullptr);
  journal_changed_.wake_all();
}

Task<void> Array::note_intent(std::uint32_t first, std::uint32_t last) {
  if (config_.journal != "bitmap") co_return;
  const auto region_of = [this](std::uint64_t stripe) {
    return static_cast<std::uint32_t>(stripe * layout_.chunk() / config_.bitmap_chunk);
  };
  for (std::uint32_t number = region_of(first); number <= region_of(last); ++number) {
    Region& region = regions_[number];
    ++region.writing;
    while (!region.noted && region.noting) co_await region_noted_.wait();
    if (region.noted) continue;
    region.noting = true;
    ++around_.statistics.bitmap_writes;
    step(ArrayStep::Journal);
    co_await nvram_write(kBitmapWrite);
    around_.media.dirty_regions.insert(number);
    region.noting = false;
    region.noted = true;
    region_noted_.wake_all();
  }
}

void Array::intent_done(std::uint32_t first, std::uint32_t last) {
  if (config_.journal != "bitmap") return;
  const auto end = static_cast<std::uint32_t>(last * layout_.chunk() / config_.bitmap_chunk);
  auto number = static_cast<std::uint32_t>(first * layout_.chunk() / config_.bitmap_chunk);
  for (; number <= end; ++number) {
    Region& region = regions_.at(number);
    --region.writing;
    region.done = ++events_;
  }
}

// Clears bits of regions without writes since event `until`. Nobody waits for these NVRAM writes.
void Array::clear_bitmap(std::uint64_t until) {
  for (auto each = regions_.begin(); each != regions_.end();) {
    if (each->second.writing != 0 || each->second.done > until) {
      ++each;
      continue;
    }
    around_.nvram->access(true, 0, kBitmapWrite);
    ++around_.statistics.bitmap_writes;
    around_.media.dirty_regions.erase(each->first);
    each = regions_.erase(each);
  }
}

// Replays entries in the order of writing, since the last entry of a stripe determines its content; then flushes.
Task<void> Array::replay() {
  if (around_.media.journal.empty()) co_return;
  for (const std::unique_ptr<JournalEntry>& entry : around_.media.journal) {
    step(ArrayStep::Replay);
    ++around_.statistics.journal_replayed;
    TransferGroup group;
    if (entry->trimmed != 0) {
      for (const std::uint32_t drive : around_.media.drives)
        if (drive != kNoDrive)
          group.submit(port(drive), IoOperation::Trim, entry->stripe * layout_.chunk(),
                       entry->trimmed * layout_.chunk(), nullptr);
    }
    for (std::size_t at = 0; at < entry->used; ++at) {
      JournalPart& part = entry->parts[at];
      const std::uint32_t drive = home_of(entry->stripe, layout_.slot_of(entry->stripe, part.column));
      if (drive != kNoDrive)
        group.submit(port(drive), IoOperation::Write, entry->stripe * layout_.chunk() + part.row, part.length,
                     part.tokens.empty() ? nullptr : part.tokens.data());
    }
    co_await group;
    if (settle_writes(group) == IoStatus::Ok) continue;
    const std::uint32_t end = entry->stripe + std::max(entry->trimmed, 1U);
    for (std::uint32_t stripe = entry->stripe; stripe < end; ++stripe) lose_failed(stripe);
  }
  co_await flush_drives(nullptr);
  for (std::unique_ptr<JournalEntry>& entry : around_.media.journal) around_.media.give(std::move(entry));
  around_.media.journal.clear();
}

}  // namespace flashloom
