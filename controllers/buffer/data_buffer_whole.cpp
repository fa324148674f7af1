// Whole units that the host writes on the instant clock: does what DataBuffer::write() does for each of them, except that
// evicted units are collected for the FTL.
#include <algorithm>

#include "controllers/buffer/data_buffer.hpp"

namespace flashloom {

bool DataBuffer::takes_whole(std::uint32_t units_per_program) const {
  const BufferPart& part = store_.parts().front();
  const EvictionTraits& traits = part.victims->traits();
  return !shape_.write_through && !in_nvram() && !shape_.verify && !store_.has_sets() && parts() == 1 &&
         shape_.program_units == 1 && !traits.ghosts && !traits.companions && !traits.padding && part.clean == 0 &&
         part.high_units >= part.room && shape_.destage_units >= units_per_program && store_.destaging_units() == 0 &&
         destager_.at_rest() && std::ranges::all_of(store_.dirty(), [this](const BufferEntry& entry) {
           return entry.write.sectors == pieces().all_sectors();
         });
}

[[gnu::flatten]] void DataBuffer::take_whole(std::uint32_t first, std::uint32_t count, std::uint32_t units_per_program,
                                             std::vector<WholeUnit>& evicted) {
  BufferPart& part = store_.parts().front();
  statistics_.write_units += count;
  statistics_.parts.front().write_units += count;
  UnitPiece piece{
      .unit = first, .sectors = pieces().all_sectors(), .stream = 0, .request = 0, .write = store_.next_write()};
  for (; piece.unit != first + count; ++piece.unit) {
    BufferEntry* older = store_.find(piece.unit);
    if (older != nullptr && older->dirty()) {
      store_.overwrite(*older, piece);
      continue;
    }
    while (part.full()) {
      BufferEntry& leaving = store_[part.victims->victim()];
      store_.leave(leaving, true, 0);
      store_.enter_table();
      leaving.write.refused = false;
      evicted.push_back({leaving.write.unit, leaving.write.version});
      ++statistics_.evicted_groups;
      ++statistics_.destages[static_cast<std::size_t>(DestageCause::Need)];
      ++statistics_.evictions;
      destager_.passed(1);
      if (store_.destaging_units() == units_per_program)
        while (store_.destaging_units() != 0) store_.on_flash(store_.destaging().front());
    }
    if (older != nullptr) older = store_.find(piece.unit);  // it may be on flash now
    store_.place(piece, older);
  }
}

std::vector<WriteUnit*> DataBuffer::evicted_whole() {
  std::vector<WriteUnit*> units;
  for (BufferEntry& entry : store_.destaging()) units.push_back(&entry.write);
  return units;
}

}  // namespace flashloom
