// Page padding: a logical block leaves whole, what is not buffered of it being read from flash first.
#include <algorithm>

#include "controllers/buffer/data_buffer.hpp"

namespace flashloom {

// All of the unit's block leaves, in order. What pads it takes its version now, so that the host's next write of it
// counts for newer wherever padding has got to by then.
void DataBuffer::evict_padded(std::uint32_t unit, DestageCause cause) {
  const std::uint32_t first = unit / shape_.units_per_block * shape_.units_per_block;
  const std::uint32_t end = std::min(first + shape_.units_per_block, shape_.logical_units);
  for (std::uint32_t each = first; each < end; ++each) {
    Entry* const entry = find(each);
    if (entry != nullptr && entry->state == State::Resident) {
      evict(*entry, cause, each + 1 == end);
      continue;
    }
    ++statistics_.padding_units;
    order({.trim_first = each,
           .version = ++version_,
           .padding = true,
           .last = each + 1 == end,
           .evictions = evictions_});
  }
}

// Its turn among the writes has come: all that left before it is the FTL's, and nothing that left after it.
Task<void> DataBuffer::pad(Order order) {
  // What the buffer still has of the unit's older data, while they are on their way to flash.
  struct Older final : FrontBuffer {
    const DataBuffer& buffer;
    std::uint64_t evictions;
    Older(const DataBuffer& of, std::uint64_t until) : buffer(of), evictions(until) {}

    const Entry* find(std::uint32_t unit) const {
      const Entry* const newest = buffer.find(unit);
      if (newest == nullptr) return nullptr;
      const Entry* older = nullptr;
      for (const Entry& entry : buffer.destaging_)
        if (entry.order <= evictions && entry.write.unit == unit) older = &entry;
      return older;
    }
    std::uint64_t serve(std::uint32_t unit, std::uint64_t sectors, SectorToken* tokens,
                        std::uint32_t first_sector) override {
      return buffer.serve(find(unit), unit, sectors, tokens, first_sector);
    }
    std::uint64_t missing(std::uint32_t unit, std::uint64_t sectors) const override {
      return buffer.missing(find(unit), unit, sectors);
    }
    WriteUnit& write_unit(std::uint32_t) override { throw std::logic_error("padding is read, not written"); }
  };

  while (free_padding_.empty()) co_await padding_.wait();
  Entry& entry = entries_[free_padding_.back()];
  free_padding_.pop_back();
  const std::uint32_t sectors = shape_.unit_bytes / shape_.sector_bytes;
  if (shape_.verify) std::fill_n(entry.write.tokens, sectors, SectorToken{0});
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - sectors);
  Older older(*this, order.evictions);
  BufferRead& request = take_request();
  request.number = 0;
  request.unheard.begin(hardware_.now());
  request.breakdown = &request.unheard;
  request.to_host = false;
  request.front = &older;
  request.units.push_back({order.trim_first, 0, all, shape_.verify ? entry.write.tokens : nullptr});
  co_await ftl_.read(request);
  const bool failed = request.failed;
  free_requests_.push_back(&request);
  if (failed) {  // it stays where it is
    free_padding_.push_back(slot_of(entry));
    co_return;
  }
  entry.state = State::Padding;
  entry.write.unit = order.trim_first;
  entry.write.version = order.version;
  entry.write.sectors = all;
  entry.write.stream = 0;
  entry.write.request = 0;
  entry.write.last = order.last;
  co_await ftl_.write(entry.write);
}

}  // namespace flashloom
