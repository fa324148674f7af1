// Passes a sequential stream through the data buffer by a rule, without handling each unit.
#include "controllers/buffer/data_buffer.hpp"

namespace flashloom {

const char* DataBuffer::why_no_cycles() const {
  if (shape_.write_through) return "writes wait for flash (buffer.mode)";
  if (in_nvram()) return "each unit is recorded in NVRAM (buffer.location)";
  if (shape_.verify) return "each sector has a token of its own (verify)";
  if (!store_.parts().front().victims->traits().in_order)
    return "the buffer's policy may let units leave in another order, or remembers those that left";
  if (store_.has_sets()) return "the buffer looks for correlated pages (buffer.correlation)";
  return nullptr;
}

StreamCycle DataBuffer::cycle_of(std::uint32_t units_per_program) const {
  const BufferPart& part = store_.parts().front();
  return {part.room, part.high_units, part.low_units, shape_.program_units, units_per_program};
}

bool DataBuffer::begins(const StreamCycle& cycle) const {
  return store_.parts().front().dirty == cycle.resident() && dirty_units() == cycle.resident() &&
         store_.version() == cycle.resident() && statistics_.evictions == 0;
}

void DataBuffer::pass_stream(const StreamCycle& cycle, std::uint64_t cycles, std::uint64_t writes) {
  const std::uint64_t units = cycles * cycle.units();
  statistics_.write_units += units;
  statistics_.parts.front().write_units += units;
  statistics_.evictions += units;
  statistics_.evicted_groups += units / shape_.program_units;
  statistics_.destages[static_cast<std::size_t>(cycle.by_watermark() ? DestageCause::Watermark : DestageCause::Need)] +=
      units;
  destager_.passed(units);
  store_.pass_stream(cycle, cycles, writes);
}

}  // namespace flashloom
